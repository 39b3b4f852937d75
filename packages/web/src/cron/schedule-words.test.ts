import { parseSchedule } from '@reeve/contract/cron-schedule.ts'
import { describe, expect, it } from 'vitest'
import { inWords } from './schedule-words.ts'

function say(text: string): string | undefined {
  const parsed = parseSchedule(text)
  if ('problem' in parsed) throw new Error(`${text} ${parsed.problem}`)
  return inWords(parsed.schedule)
}

describe('a schedule in words', () => {
  it.each([
    ['* * * * *', 'Every minute'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['0 * * * *', 'Every hour at :00'],
    ['@hourly', 'Every hour at :00'],
    ['30 */6 * * *', 'Every 6 hours at :30'],
    ['30 */12 * * *', 'At 00:30, 12:30 UTC, every day'],
    ['15 3 * * *', 'At 03:15 UTC, every day'],
    ['15 3 * * 1', 'At 03:15 UTC, on Monday'],
    ['15 3 * * mon-fri', 'At 03:15 UTC, on Monday to Friday'],
    ['0 6,18 * * 0,6', 'At 06:00, 18:00 UTC, on Sunday and Saturday'],
    ['0 0 * * 7', 'At 00:00 UTC, on Sunday'],
    ['@weekly', 'At 00:00 UTC, on Sunday'],
    ['@monthly', 'At 00:00 UTC, on day 1 of the month'],
    ['@yearly', 'At 00:00 UTC, on day 1 of the month in January'],
    ['0 4 1,15 * 1', 'At 04:00 UTC, on day 1 and 15 of the month or on Monday'],
    ['*/10 9-17 * * 1-5', 'Every 10 minutes, in hours 9 to 17 UTC, on Monday to Friday'],
    ['5,40 * * * *', 'At minute 5 and 40 of every hour'],
    ['0 0 * * 0-7', 'At 00:00 UTC, every day'],
    ['0 12 * jun-aug *', 'At 12:00 UTC, every day in June to August'],
  ])('%s is said as “%s”', (text, sentence) => {
    expect(say(text)).toBe(sentence)
  })

  it('leaves what is hard to say as it is written', () => {
    for (const text of ['*/7 * * * *', '1,2,4,7,9,11,40 * * * *', '0 0 */2 * 1', '0 1-20/3 5 */3 *']) {
      expect(say(text), text).toBeUndefined()
    }
  })
})
