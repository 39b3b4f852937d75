// Places where a test can make this process fail. The file that REEVE_FAILPOINT_FILE names says where and how, as
// `<task kind>.<step>[.undo]:<before|after>:<error|kill>`; firing removes it. Without the variable nothing happens.
import { existsSync, readFileSync, unlinkSync } from 'node:fs'
import { AppError } from '@reeve/contract/errors.ts'

export function failpoint(name: string, moment: 'before' | 'after'): void {
  const armed = process.env['REEVE_FAILPOINT_FILE']
  if (!armed || !existsSync(armed)) return
  const wanted = readFileSync(armed, 'utf8').trim()
  if (!wanted.startsWith(`${name}:${moment}:`)) return
  unlinkSync(armed)
  if (wanted.endsWith(':kill')) process.kill(process.pid, 'SIGKILL')
  throw new AppError('internal', `Failure injected at ${name} (${moment}).`)
}
