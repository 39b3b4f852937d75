// A cron schedule in words, while it is typed. What it really means is decided by the server (crontab(5)).
import { strings } from '../lib/strings.ts'

/** `step` divides the whole range evenly; everything else is the list of its values. */
type Part = { kind: 'every' } | { kind: 'step'; step: number } | { kind: 'values'; values: number[] }

interface Range {
  min: number
  max: number
  names?: readonly string[]
}

const minutes: Range = { min: 0, max: 59 }
const hours: Range = { min: 0, max: 23 }
const dates: Range = { min: 1, max: 31 }
const short = (names: readonly string[]) => names.map((name) => name.slice(0, 3).toLowerCase())
const months: Range = { min: 1, max: 12, names: ['', ...short(strings.cronWords.months)] }
// 7 is Sunday, too.
const weekdays: Range = { min: 0, max: 7, names: short(strings.cronWords.weekdays) }

const named: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
}

export interface Schedule {
  minute: Part
  hour: Part
  date: Part
  month: Part
  weekday: Part
}

export function parseSchedule(text: string): Schedule | undefined {
  const fields = (named[text.trim()] ?? text.trim()).split(/\s+/)
  const [minute, hour, date, month, weekday] = [minutes, hours, dates, months, weekdays].map((range, index) =>
    parsePart(fields[index] ?? '', range),
  )
  if (fields.length !== 5 || !minute || !hour || !date || !month || !weekday) return undefined
  return { minute, hour, date, month, weekday: oneSunday(weekday) }
}

function parsePart(text: string, range: Range): Part | undefined {
  if (text === '*' || text === '*/1') return { kind: 'every' }
  const whole = /^\*\/(\d{1,2})$/.exec(text)
  const step = Number(whole?.[1])
  if (whole && step > 0 && (range.max - range.min + 1) % step === 0) return { kind: 'step', step }
  const values = new Set<number>()
  for (const item of text.split(',')) {
    const found = valuesOf(item, range)
    if (!found) return undefined
    for (const value of found) values.add(value)
  }
  return { kind: 'values', values: [...values].sort((a, b) => a - b) }
}

function valuesOf(item: string, range: Range): number[] | undefined {
  const [, from = '', to, step] = /^(\*|[a-z]+|\d+)(?:-([a-z]+|\d+))?(?:\/(\d+))?$/i.exec(item) ?? []
  const first = from === '*' ? range.min : valueOf(from, range)
  const last = to !== undefined ? valueOf(to, range) : from === '*' || step !== undefined ? range.max : first
  if (first === undefined || last === undefined || first > last || step === '0') return undefined
  const every = step === undefined ? 1 : Number(step)
  return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, index) => first + index * every)
}

function valueOf(text: string, { min, max, names }: Range): number | undefined {
  const value = /^\d{1,2}$/.test(text) ? Number(text) : (names?.indexOf(text.toLowerCase()) ?? -1)
  return value >= min && value <= max && text !== '' ? value : undefined
}

function oneSunday(part: Part): Part {
  if (part.kind !== 'values') return part
  const values = [...new Set(part.values.map((value) => value % 7))].sort((a, b) => a - b)
  return values.length === 7 ? { kind: 'every' } : { kind: 'values', values }
}

const words = strings.cronWords
const twoDigits = (value: number) => String(value).padStart(2, '0')
const shownValues = 6

/** The schedule in a sentence; undefined when that would be longer than the schedule. */
export function inWords(schedule: Schedule): string | undefined {
  const time = timeInWords(schedule)
  const day = dayInWords(schedule)
  if (time === undefined || day === undefined) return undefined
  return [time, day].filter(Boolean).join(', ')
}

function timeInWords({ minute, hour }: Schedule): string | undefined {
  const often = oftenInWords(minute)
  if (often !== undefined) {
    if (hour.kind === 'every') return often
    const within = hour.kind === 'values' ? listInWords(hour.values, String) : undefined
    return within && `${often}, ${words.hours(within)}`
  }
  if (minute.kind !== 'values') return undefined
  const [first = 0] = minute.values
  if (minute.values.length === 1 && hour.kind === 'every') return words.everyHour(twoDigits(first))
  if (minute.values.length === 1 && hour.kind === 'step') return words.everyHours(hour.step, twoDigits(first))
  if (hour.kind !== 'values') {
    const list = hour.kind === 'every' ? listInWords(minute.values, String) : undefined
    return list && words.minutes(list)
  }
  const times = hour.values.flatMap((h) => minute.values.map((m) => `${twoDigits(h)}:${twoDigits(m)}`))
  return times.length <= shownValues ? words.atTimes(times.join(', ')) : undefined
}

function oftenInWords(minute: Part): string | undefined {
  if (minute.kind === 'every') return words.everyMinute
  return minute.kind === 'step' ? words.everyMinutes(minute.step) : undefined
}

/** Empty where the time of day says enough. */
function dayInWords({ minute, hour, date, month, weekday }: Schedule): string | undefined {
  const onDates =
    date.kind === 'values' ? mapped(listInWords(date.values, String), words.onDates) : partInWords(date)
  const onDays =
    weekday.kind === 'values'
      ? mapped(
          listInWords(weekday.values, (day) => words.weekdays[day] ?? ''),
          words.onDays,
        )
      : partInWords(weekday)
  const inMonths =
    month.kind === 'values'
      ? mapped(
          listInWords(month.values, (index) => words.months[index - 1] ?? ''),
          words.inMonths,
        )
      : partInWords(month)
  if (onDates === undefined || onDays === undefined || inMonths === undefined) return undefined
  // Where both are given, either is enough.
  const days = [onDates, onDays].filter(Boolean).join(` ${words.or} `)
  const isTimeOfDay = minute.kind === 'values' && hour.kind === 'values'
  return [days || (isTimeOfDay ? words.everyDay : ''), inMonths].filter(Boolean).join(' ')
}

const mapped = (text: string | undefined, say: (text: string) => string) =>
  text === undefined ? undefined : say(text)

/** Steps over days or months are rare and say more as they are written. */
const partInWords = (part: Part): string | undefined => (part.kind === 'every' ? '' : undefined)

function listInWords(values: readonly number[], say: (value: number) => string): string | undefined {
  const [first = 0] = values
  const last = values.at(-1) ?? first
  const isRun = values.length > 2 && last - first === values.length - 1
  if (isRun) return words.to(say(first), say(last))
  if (values.length > shownValues) return undefined
  if (values.length === 1) return say(first)
  return words.and(values.slice(0, -1).map(say).join(', '), say(last))
}
