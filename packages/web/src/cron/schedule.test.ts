import { describe, expect, it } from 'vitest'
import { inWords, parseSchedule } from './schedule.ts'

const say = (text: string) => {
  const schedule = parseSchedule(text)
  return schedule && inWords(schedule)
}

describe('a schedule in words', () => {
  it.each([
    ['* * * * *', 'Every minute'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['0 * * * *', 'Every hour at :00'],
    ['@hourly', 'Every hour at :00'],
    ['30 */6 * * *', 'Every 6 hours at :30'],
    ['15 3 * * *', 'At 03:15, every day'],
    ['15 3 * * 1', 'At 03:15, on Monday'],
    ['15 3 * * mon-fri', 'At 03:15, on Monday to Friday'],
    ['0 6,18 * * 0,6', 'At 06:00, 18:00, on Sunday and Saturday'],
    ['0 0 * * 7', 'At 00:00, on Sunday'],
    ['@weekly', 'At 00:00, on Sunday'],
    ['@monthly', 'At 00:00, on day 1 of the month'],
    ['@yearly', 'At 00:00, on day 1 of the month in January'],
    ['0 4 1,15 * 1', 'At 04:00, on day 1 and 15 of the month or on Monday'],
    ['*/10 9-17 * * 1-5', 'Every 10 minutes, in hours 9 to 17, on Monday to Friday'],
    ['0,30 * * * *', 'At minute 0 and 30'],
    ['0 0 * * 0-7', 'At 00:00, every day'],
    ['0 12 * jun-aug *', 'At 12:00, every day in June to August'],
  ])('%s is said as “%s”', (text, sentence) => {
    expect(say(text)).toBe(sentence)
  })

  it('leaves what is hard to say as it is written', () => {
    for (const text of ['*/7 * * * *', '1,2,4,7,9,11,40 * * * *', '0 0 */2 * *', '0 1-20/3 5 */3 *']) {
      expect(parseSchedule(text), text).toBeDefined()
      expect(say(text), text).toBeUndefined()
    }
  })

  it('knows what is no schedule', () => {
    for (const text of [
      '',
      '* * * *',
      '* * * * * *',
      '60 * * * *',
      '* 24 * * *',
      '* * 0 * *',
      '* * * 13 *',
      '* * * * 8',
      '5-1 * * * *',
      '*/0 * * * *',
      'a * * * *',
      '1, * * * *',
      '@never',
    ])
      expect(parseSchedule(text), text).toBeUndefined()
  })
})
