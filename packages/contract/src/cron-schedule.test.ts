import { describe, expect, it } from 'vitest'
import { CronSchedule } from './cron.ts'
import { nextRun, nextRuns, parseSchedule, type Schedule } from './cron-schedule.ts'

function parsed(text: string): Schedule {
  const result = parseSchedule(text)
  if ('problem' in result) throw new Error(result.problem)
  return result.schedule
}

const next = (text: string, after: string, count = 3) =>
  nextRuns(parsed(text), new Date(after), count).map((time) => time.toISOString().slice(0, 16))

describe('the next runs', () => {
  it.each([
    ['* * * * *', '2026-11-21T10:15:30Z', ['2026-11-21T10:16', '2026-11-21T10:17', '2026-11-21T10:18']],
    ['*/20 8-9 * * *', '2026-11-21T09:30:00Z', ['2026-11-21T09:40', '2026-11-22T08:00', '2026-11-22T08:20']],
    ['0 0 * * *', '2026-12-31T00:00:00Z', ['2027-01-01T00:00', '2027-01-02T00:00', '2027-01-03T00:00']],
    ['30 4 1,15 * 5', '2026-11-21T00:00:00Z', ['2026-11-27T04:30', '2026-12-01T04:30', '2026-12-04T04:30']],
    ['0 12 */10 * mon', '2026-11-01T00:00:00Z', ['2026-12-21T12:00', '2027-01-11T12:00', '2027-02-01T12:00']],
    ['0 0 29 feb *', '2097-01-01T00:00:00Z', ['2104-02-29T00:00', '2108-02-29T00:00', '2112-02-29T00:00']],
    // A star among the days: both must fit, and the first of March is no Sunday again for eleven years.
    ['0 0 1 3 */30', '2026-08-11T00:00:00Z', ['2037-03-01T00:00', '2043-03-01T00:00', '2048-03-01T00:00']],
    ['0 0 29 2 */7', '2026-08-11T00:00:00Z', ['2032-02-29T00:00', '2060-02-29T00:00', '2088-02-29T00:00']],
    ['5 4 * * 7', '2026-11-21T00:00:00Z', ['2026-11-22T04:05', '2026-11-29T04:05', '2026-12-06T04:05']],
    [
      '0 9 * * Mon-Fri/2',
      '2026-11-21T00:00:00Z',
      ['2026-11-23T09:00', '2026-11-25T09:00', '2026-11-27T09:00'],
    ],
    ['@hourly', '2026-11-21T10:59:59Z', ['2026-11-21T11:00', '2026-11-21T12:00', '2026-11-21T13:00']],
    ['@weekly', '2026-11-21T10:59:59Z', ['2026-11-22T00:00', '2026-11-29T00:00', '2026-12-06T00:00']],
    ['@monthly', '2026-11-21T10:59:59Z', ['2026-12-01T00:00', '2027-01-01T00:00', '2027-02-01T00:00']],
    ['@yearly', '2026-11-21T10:59:59Z', ['2027-01-01T00:00', '2028-01-01T00:00', '2029-01-01T00:00']],
  ])('of "%s" after %s', (text, after, expected) => {
    expect(next(text, after)).toEqual(expected)
  })

  it('are in UTC whatever zone the process is in, also when clocks change', () => {
    // 29 March 2026: Europe skips an hour. 25 October: an hour comes twice.
    expect(next('30 * * * *', '2026-03-29T00:00:00Z', 4)).toEqual([
      ...['2026-03-29T00:30', '2026-03-29T01:30', '2026-03-29T02:30', '2026-03-29T03:30'],
    ])
    expect(next('30 2 * * *', '2026-10-24T03:00:00Z', 2)).toEqual(['2026-10-25T02:30', '2026-10-26T02:30'])
  })
})

describe('what is no schedule', () => {
  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 13 *',
    '* * * * 8',
    '5-1 * * * *',
    '5/10 * * * *',
    '*/0 * * * *',
    '1,,2 * * * *',
    '1- * * * *',
    '-1 * * * *',
    'jan * * * *',
    '* * * * funday',
    '0 0 30 2 *',
    '0 0 31 4,6,9,11 *',
    '@reboot',
    '*\t* * * *',
    '* * * * *\n* * * * * root',
    '1.5 * * * *',
    '٣ * * * *',
  ])('is refused: %j', (text) => {
    expect('problem' in parseSchedule(text)).toBe(true)
    expect(CronSchedule.safeParse(text).success).toBe(false)
  })

  it('is told what is wrong with it', () => {
    expect(CronSchedule.safeParse('* 25 * * *').error?.issues[0]?.message).toBe('cannot hold 25 as hour')
    expect(CronSchedule.safeParse('0 0 31 2 *').error?.issues[0]?.message).toBe(
      'never comes: no month has that day',
    )
  })
})

/** Straight from the words of crontab(5), minute by minute. */
function fits(schedule: Schedule, time: Date): boolean {
  const isDay = schedule.days.has(time.getUTCDate())
  const isWeekday = schedule.weekdays.has(time.getUTCDay())
  return (
    schedule.minutes.has(time.getUTCMinutes()) &&
    schedule.hours.has(time.getUTCHours()) &&
    schedule.months.has(time.getUTCMonth() + 1) &&
    (schedule.isEitherDay ? isDay || isWeekday : isDay && isWeekday)
  )
}

describe('for schedules made up at random', () => {
  const pick = (from: number, to: number) => from + Math.floor(Math.random() * (to - from + 1))
  const item = (min: number, max: number) => {
    const [a, b] = [pick(min, max), pick(min, max)].sort((x, y) => x - y)
    return ['*', `*/${pick(1, 30)}`, `${a}`, `${a}-${b}`, `${a}-${b}/${pick(1, 9)}`][pick(0, 4)] ?? '*'
  }
  const field = (min: number, max: number) =>
    pick(0, 1) ? item(min, max) : `${item(min, max)},${item(min, max)}`
  const someSchedule = () => `${field(0, 59)} ${field(0, 23)} ${field(1, 31)} ${field(1, 12)} ${field(0, 7)}`

  it('the next run is the first minute that fits', () => {
    let compared = 0
    while (compared < 200) {
      const text = someSchedule()
      const result = parseSchedule(text)
      if ('problem' in result) continue
      const after = new Date(Date.UTC(2026, pick(0, 11), pick(1, 28), pick(0, 23), pick(0, 59), pick(0, 59)))
      const found = nextRun(result.schedule, after)
      let expected = new Date(Math.floor(after.getTime() / 60_000) * 60_000 + 60_000)
      // A week of minutes; what comes later than that is only checked for being right.
      const end = expected.getTime() + 7 * 86_400_000
      while (!fits(result.schedule, expected) && expected.getTime() < end) {
        expected = new Date(expected.getTime() + 60_000)
      }
      if (expected.getTime() < end) expect([text, found]).toEqual([text, expected])
      else {
        expect(found && fits(result.schedule, found)).toBe(true)
        expect(found?.getTime()).toBeGreaterThanOrEqual(end)
      }
      compared++
    }
  })
})
