// `reeve doctor`: asks about everything that a running server needs, and says what to do about what is missing.
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { describeFindings, type Examined } from '../packages/agent/src/doctor/check.ts'
import { examineServer } from '../packages/agent/src/doctor/doctor.ts'
import { examineState } from '../packages/api/src/db/examine.ts'

const settings = '/etc/reeve/reeve.env'

/** Answers what to print, and whether nothing failed. */
export async function runDoctor(
  env: NodeJS.ProcessEnv,
  args: readonly string[],
): Promise<{ text: string; isHealthy: boolean }> {
  const unknown = args.find((argument) => argument !== '--json')
  if (unknown !== undefined) throw new Error(`Unknown option ${unknown}; there is only --json.`)
  if (process.getuid?.() !== 0) throw new Error('Root is needed: run it with sudo.')
  const all = { ...installedSettings(env), ...env }
  const examined: Examined[] = [...(await examineServer(all)), examineState(all)]
  const text = args.includes('--json') ? `${JSON.stringify(examined, null, 2)}\n` : describeFindings(examined)
  return { text, isHealthy: examined.every(({ state }) => state !== 'failed') }
}

/** What the units get; a shell of root does not have it. */
function installedSettings(env: NodeJS.ProcessEnv): NodeJS.Dict<string> {
  if ((env['REEVE_ROOT'] ?? '/') !== '/') return {}
  try {
    return parseEnv(readFileSync(settings, 'utf8'))
  } catch {
    return {}
  }
}
