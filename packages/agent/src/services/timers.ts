// What the agent does by the clock, as one table. When embedded its own clock goes through it; on an installed
// server systemd's timers do, by `reeve timer <name>`.
import { AppError } from '@reeve/contract/errors.ts'
import type { TimerName } from '@reeve/contract/timers.ts'
import type { AgentContext } from '../context.ts'
import { describeError } from '../log.ts'
import { renewDueCertificates } from '../certificates/renewal.ts'
import { sweepOnTime } from '../drift/sweep.ts'
import { rotateLogs } from '../logs/rotate.ts'

export interface Timer {
  name: TimerName
  /** One line for `systemctl list-timers`. */
  description: string
  everySeconds: number
  /** Added by chance, so that many servers do not ask somebody else in the same second. */
  randomDelaySeconds: number
  /** A timer of the distribution that does the work on an installed server. */
  distributionUnit?: `${string}.timer`
  /** Repeatable, and safe when an earlier run was killed. */
  run: (context: AgentContext) => Promise<void>
}

const minutes = 60
const hours = 60 * minutes

export const timers: readonly Timer[] = [
  {
    name: 'log-rotation',
    description: 'Rotate the logs of the panel and of the sites',
    everySeconds: 24 * hours,
    randomDelaySeconds: 0,
    distributionUnit: 'logrotate.timer',
    run: rotateLogs,
  },
  {
    name: 'certificates',
    description: 'Renew the certificates whose time has come',
    everySeconds: 1 * hours,
    randomDelaySeconds: 30 * minutes,
    run: renewDueCertificates,
  },
  {
    name: 'drift',
    description: 'Compare the files of the panel with what was written',
    everySeconds: 5 * minutes,
    randomDelaySeconds: 0,
    run: sweepOnTime,
  },
]

/** Runs of one timer do not overlap. */
export async function runTimer(context: AgentContext, name: TimerName): Promise<void> {
  const timer = timers.find((candidate) => candidate.name === name)
  if (!timer) {
    const known = timers.map((candidate) => candidate.name).join(', ')
    throw new AppError('not_found', `There is no timer ${name}; there are: ${known}.`)
  }
  await context.hostLock.hold(`timer ${name}`, () => timer.run(context))
}

/** For a clock, which has nobody to tell. */
export async function runTimerLogged(context: AgentContext, name: TimerName): Promise<void> {
  const started = Date.now()
  try {
    await runTimer(context, name)
    context.log('timer', { name, ms: Date.now() - started })
  } catch (error) {
    context.log('timer failed', { name, error: describeError(error) })
  }
}
