// The embedded run's timers: the agent's own clock, which ends with the agent.
import type { TimerName } from '@reeve/contract/timers.ts'
import type { Timer } from './timers.ts'

export type Schedule = Pick<Timer, 'name' | 'everySeconds' | 'randomDelaySeconds'>

/** A run that was cut short by an earlier stop is made up for this soon. */
export const firstRunSeconds = 60

/** Starts the clock. Disposing of it waits for the work that is under way. */
export function startClock(
  schedules: readonly Schedule[],
  run: (name: TimerName) => Promise<void>,
): AsyncDisposable {
  const waiting = new Map<TimerName, NodeJS.Timeout>()
  const running = new Set<Promise<void>>()
  let isStopped = false

  const wait = (schedule: Schedule, seconds: number) => {
    if (isStopped) return
    const delay = seconds + Math.random() * schedule.randomDelaySeconds
    waiting.set(
      schedule.name,
      setTimeout(() => tick(schedule), delay * 1000),
    )
  }
  const tick = (schedule: Schedule) => {
    const goOn = () => {
      running.delete(work)
      wait(schedule, schedule.everySeconds)
    }
    // Also after a failure, which is for `run` to report.
    const work = run(schedule.name).then(goOn, goOn)
    running.add(work)
  }
  for (const schedule of schedules) wait(schedule, Math.min(schedule.everySeconds, firstRunSeconds))

  return {
    async [Symbol.asyncDispose]() {
      isStopped = true
      for (const timer of waiting.values()) clearTimeout(timer)
      await Promise.allSettled(running)
    },
  }
}
