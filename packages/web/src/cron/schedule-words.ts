// A cron schedule as a person says it.
import type { Schedule } from '@reeve/contract/cron-schedule.ts'
import { strings } from '../lib/strings.ts'

const words = strings.cronWords
const twoDigits = (value: number) => String(value).padStart(2, '0')
const shownValues = 6

/** `step` divides the whole range evenly, in three or more; everything else is the list of its values. */
type Part = { kind: 'every' } | { kind: 'step'; step: number } | { kind: 'values'; values: number[] }

function partOf(set: ReadonlySet<number>, size: number): Part {
  if (set.size === size) return { kind: 'every' }
  const values = [...set].sort((a, b) => a - b)
  const step = size / values.length
  const isStep = values.length > 2 && values.every((value, index) => value === index * step)
  return isStep ? { kind: 'step', step } : { kind: 'values', values }
}

/** Undefined when a sentence would be longer than the schedule. */
export function inWords(schedule: Schedule): string | undefined {
  const minute = partOf(schedule.minutes, 60)
  const hour = partOf(schedule.hours, 24)
  const time = timeInWords(minute, hour)
  const day = dayInWords(schedule, minute.kind === 'values' && hour.kind === 'values')
  if (time === undefined || day === undefined) return undefined
  return day === '' ? time : `${time}, ${day}`
}

function timeInWords(minute: Part, hour: Part): string | undefined {
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
  if (hour.kind === 'every') {
    const list = listInWords(minute.values, String)
    return list && words.minutes(list)
  }
  if (hour.kind !== 'values') return undefined
  const times = hour.values.flatMap((h) => minute.values.map((m) => `${twoDigits(h)}:${twoDigits(m)}`))
  return times.length <= shownValues ? words.atTimes(times.join(', ')) : undefined
}

function oftenInWords(minute: Part): string | undefined {
  if (minute.kind === 'every') return words.everyMinute
  return minute.kind === 'step' ? words.everyMinutes(minute.step) : undefined
}

/** Empty where the time says enough. */
function dayInWords(
  { days, weekdays, months, isEitherDay }: Schedule,
  isTimeOfDay: boolean,
): string | undefined {
  const parts = [
    days.size === 31 ? '' : listOf(days, String, words.onDates),
    weekdays.size === 7 ? '' : listOf(weekdays, (day) => words.weekdays[day] ?? '', words.onDays),
    months.size === 12 ? '' : listOf(months, (month) => words.months[month - 1] ?? '', words.inMonths),
  ] as const
  const [onDates, onDays, inMonths] = parts
  if (onDates === undefined || onDays === undefined || inMonths === undefined) return undefined
  if (onDates && onDays && !isEitherDay) return undefined
  const both = [onDates, onDays].filter(Boolean).join(` ${words.or} `)
  return [both || (isTimeOfDay ? words.everyDay : ''), inMonths].filter(Boolean).join(' ')
}

function listOf(
  set: ReadonlySet<number>,
  name: (value: number) => string,
  say: (list: string) => string,
): string | undefined {
  const list = listInWords(
    [...set].sort((a, b) => a - b),
    name,
  )
  return list && say(list)
}

function listInWords(values: readonly number[], name: (value: number) => string): string | undefined {
  const [first = 0] = values
  const last = values.at(-1) ?? first
  const isRun = values.length > 2 && last - first === values.length - 1
  if (isRun) return words.to(name(first), name(last))
  if (values.length > shownValues) return undefined
  if (values.length === 1) return name(first)
  return words.and(values.slice(0, -1).map(name).join(', '), name(last))
}
