import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { run } from '../command.ts'
import type { AgentContext } from '../context.ts'

/** Rotates what is due; logrotate's own record says what that is. */
export async function rotateLogs({ paths }: Pick<AgentContext, 'paths'>): Promise<void> {
  mkdirSync(dirname(paths.logrotateState), { recursive: true })
  await run('logrotate', ['--state', paths.logrotateState, paths.logrotateConf], { timeoutMs: 300_000 })
}
