// What the doctor says of files that it can read while nothing runs.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Domain } from '@reeve/contract/primitives.ts'
import { beforeEach, expect, it } from 'vitest'
import { certificateFiles } from '../certificates/pair.ts'
import { ensureSelfSigned } from '../certificates/self-signed.ts'
import { writeManagedFile } from '../managed-file.ts'
import { type Paths, pathsBelow } from '../paths.ts'
import { openRegistry } from '../registry.ts'
import { certificateChecks } from './certificates.ts'
import { examineAll } from './check.ts'
import type { Patient } from './patient.ts'
import { stateChecks } from './state.ts'

let paths: Paths
let patient: Patient

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'reeve-doctor-'))
  paths = pathsBelow(root)
  patient = { paths, panelPort: 1, httpPort: 2, httpsPort: 3, isInstalled: false }
  mkdirSync(paths.agentState, { recursive: true })
  return () => rmSync(root, { recursive: true, force: true })
})

const sentences = async () =>
  (await examineAll(stateChecks(patient))).map(({ state, what }) => `${state}: ${what}`)

function writeTwoFiles(): [string, string] {
  const registry = openRegistry(paths.registry)
  const names = ['one.conf', 'two.conf'].map((name) => join(paths.root, name))
  for (const path of names)
    writeManagedFile(registry, { path, text: 'ours\n', mode: 0o644, renderer: 'test', siteId: null })
  registry.close()
  return [names[0] ?? '', names[1] ?? '']
}

it('finds an intact registry and untouched files', async () => {
  writeTwoFiles()
  expect(await sentences()).toEqual([
    'ok: the registry is intact',
    'ok: 2 rendered files are as they were written',
  ])
})

it('names each file that somebody else changed or removed', async () => {
  const [one, two] = writeTwoFiles()
  appendFileSync(one, 'theirs\n')
  unlinkSync(two)
  expect(await sentences()).toEqual([
    'ok: the registry is intact',
    `failed: ${one} was changed by something else`,
    `failed: ${two} is gone`,
  ])
})

it('says that a registry is damaged or missing, and changes nothing', async () => {
  writeTwoFiles()
  truncateSync(paths.registry, 6000)
  expect((await sentences())[0]).toMatch(/^failed: the registry is damaged: /)
  unlinkSync(paths.registry)
  expect((await sentences())[0]).toBe('failed: there is no registry yet')
})

it('reads the certificate of the panel, and says when it cannot', async () => {
  openRegistry(paths.registry).close()
  const say = async () =>
    (await examineAll(certificateChecks(patient))).map(({ state, what }) => `${state}: ${what}`)
  expect(await say()).toEqual([])
  await ensureSelfSigned(paths.panelTls, [Domain.parse('panel.example.com')])
  const { key } = certificateFiles(paths.panelTls)
  expect((await say())[0]).toMatch(/^ok: the certificate of the panel ends in \d+ days$/)
  truncateSync(key, 10)
  expect((await say())[0]).toMatch(/^failed: the certificate of the panel cannot be read/)
})
