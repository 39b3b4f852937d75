import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases, type Snippet, surroundings } from './cases.ts'

const repository = resolve(import.meta.dirname, '../..')
/** Packages whose rules the cases exercise. */
const packages = ['contract', 'api', 'agent', 'web']

interface Finding {
  path: string
  code: string
}

describe('the lint configuration', () => {
  let bad: Tree
  let good: Tree

  beforeAll(async () => {
    bad = await lintTree(cases.map((entry) => entry.bad))
    good = await lintTree(cases.map((entry) => entry.good))
  })
  afterAll(async () => {
    await rm(bad.folder, { recursive: true })
    await rm(good.folder, { recursive: true })
  })

  it.each(cases)('$rule: $name', ({ rule, bad: { path }, good: twin }) => {
    expect(bad.findings.filter((finding) => finding.path === path)).toEqual([{ path, code: rule }])
    expect(good.findings.filter((finding) => finding.path === twin.path)).toEqual([])
  })

  it('has a case for every rule that it names', async () => {
    const tested = new Set(cases.map(({ rule }) => rule))
    const untested = (await configuredRules()).filter((rule) => !tested.has(rule))
    expect(untested).toEqual([])
  })
})

interface Tree {
  folder: string
  findings: Finding[]
}

/** A copy of the repository's layout and lint configuration that holds only these files. */
async function lintTree(snippets: readonly Snippet[]): Promise<Tree> {
  expect(new Set(snippets.map(({ path }) => path)).size).toBe(snippets.length)
  const folder = await mkdtemp(join(tmpdir(), 'reeve-lint-'))
  const copied = ['.oxlintrc.json', 'tsconfig.json', 'package.json', 'tools/lint', 'packages/contract/src']
  for (const path of [...copied, ...packages.map((name) => `packages/${name}/package.json`)]) {
    await cp(join(repository, path), join(folder, path), { recursive: true })
  }
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'))
  for (const { path, code } of [...surroundings, ...snippets]) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), `${code}\n`)
  }
  return { folder, findings: await lint(folder) }
}

async function lint(folder: string): Promise<Finding[]> {
  const { promise, resolve: done } = Promise.withResolvers<string>()
  const program = join(repository, 'node_modules/.bin/oxlint')
  const args = ['--type-aware', '--format=json', 'packages']
  // A report with findings comes with exit code 1.
  const env = { ...process.env, PATH: `${join(repository, 'node_modules/.bin')}:${process.env['PATH']}` }
  execFile(program, args, { cwd: folder, env, maxBuffer: 2 ** 26 }, (_error, stdout) => done(stdout))
  const report: { diagnostics: { filename: string; code: string }[] } = JSON.parse(await promise)
  return report.diagnostics.map(({ filename, code }) => ({ path: filename, code }))
}

async function configuredRules(): Promise<string[]> {
  const config: { rules: Rules; overrides: { rules: Rules }[] } = JSON.parse(
    await readFile(join(repository, '.oxlintrc.json'), 'utf8'),
  )
  const all = [config, ...config.overrides].flatMap(({ rules }) => Object.entries(rules))
  const enabled = all.filter(
    ([, setting]) => setting === 'error' || (Array.isArray(setting) && setting[0] === 'error'),
  )
  return enabled.map(([name]) => name.replace(/^([^/]+)\/(.+)$/, '$1($2)'))
}

type Rules = Record<string, unknown>
