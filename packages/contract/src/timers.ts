// Work that the agent does at its times: systemd's timers ask for it on an installed server.
import * as z from 'zod'
import { operation } from './operation.ts'

/** Part of a unit's name and of a command line. */
export const TimerName = z.string().regex(/^[a-z]([a-z-]{0,28}[a-z])?$/, 'is not the name of a timer')
export type TimerName = z.infer<typeof TimerName>

export const timerRun = operation({
  name: 'timer.run',
  summary: 'Do the work of a timer now, as at its time; a second call waits for the first',
  input: z.strictObject({ name: TimerName }),
  output: z.strictObject({}),
})
