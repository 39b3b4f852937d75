// Runs every check and test and prints one total: `N passed, N failed`. A static check counts as one test.
// Arguments replace the list of Vitest runs, e.g. node scripts/test.ts --project unit packages/api
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { exitCode } from './exit-code.ts'

interface Total {
  passed: number
  failed: number
}

const repository = resolve(import.meta.dirname, '..')
const program = (name: string) => join(repository, 'node_modules/.bin', name)

const checks: readonly { name: string; command: readonly [string, ...string[]] }[] = [
  { name: 'types of the servers', command: ['tsc', '--noEmit'] },
  { name: 'types of the web UI', command: ['tsc', '--noEmit', '-p', 'packages/web'] },
  { name: 'types of packaging', command: ['tsc', '--noEmit', '-p', 'packaging'] },
  { name: 'types of tools', command: ['tsc', '--noEmit', '-p', 'tools'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'format', command: ['biome', 'format', '.'] },
]

async function runCheck({ name, command: [tool, ...args] }: (typeof checks)[number]): Promise<Total> {
  const started = performance.now()
  const child = spawn(program(tool), args, { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
  const code = await exitCode(child)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  if (code === 0) {
    console.log(` ✓ ${name} (${seconds} s)`)
    return { passed: 1, failed: 0 }
  }
  console.log(` ✗ ${name} (${[tool, ...args].join(' ')}, ${seconds} s)\n${Buffer.concat(output).toString()}`)
  return { passed: 0, failed: 1 }
}

async function runVitest(args: readonly string[], maySkip: boolean): Promise<Total> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-test-'))
  const report = join(folder, 'report.json')
  try {
    const flags = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const child = spawn(program('vitest'), [...flags, ...args], { cwd: repository, stdio: 'inherit' })
    const code = await exitCode(child)
    return readReport(await readFile(report, 'utf8').catch(() => '{}'), code === 0, maySkip)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Report {
  numPassedTests?: number
  numFailedTests?: number
  numPendingTests?: number
  numTodoTests?: number
  testResults?: { status: string; assertionResults: unknown[] }[]
}

/** A file that could not be loaded, a skipped test and an error outside tests are failures too. */
export function readReport(text: string, isSuccess: boolean, maySkip: boolean): Total {
  // Vitest writes this file; a missing field counts as zero.
  const report = JSON.parse(text) as Report
  const unloaded = (report.testResults ?? []).filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length
  const skipped = maySkip ? 0 : (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0)
  if (skipped > 0) console.log(`${skipped} tests were skipped; none may be.`)
  const failed = (report.numFailedTests ?? 0) + unloaded + skipped
  return { passed: report.numPassedTests ?? 0, failed: failed === 0 && !isSuccess ? 1 : failed }
}

async function main(args: readonly string[]): Promise<void> {
  const total: Total = { passed: 0, failed: 0 }
  const add = ({ passed, failed }: Total) => {
    total.passed += passed
    total.failed += failed
  }
  if (args.length > 0) {
    add(await runVitest(args, true))
  } else {
    for (const check of checks) add(await runCheck(check))
    for (const project of ['unit', 'e2e']) add(await runVitest(['--project', project], false))
  }
  console.log(`\n${total.passed} passed, ${total.failed} failed`)
  process.exitCode = total.failed > 0 ? 1 : 0
}

if (import.meta.main) await main(process.argv.slice(2))
