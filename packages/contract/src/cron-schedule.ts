// Times of a cron job: the five fields of crontab(5), or one of its names, in UTC. Without a zone that changes its
// clocks no time comes twice or never.

export interface Schedule {
  minutes: ReadonlySet<number>
  hours: ReadonlySet<number>
  /** Days of the month. */
  days: ReadonlySet<number>
  months: ReadonlySet<number>
  /** 0 is Sunday. */
  weekdays: ReadonlySet<number>
  /** crontab(5): with both kinds of day given, either is enough; with one of them a star, both must fit. */
  isEitherDay: boolean
}

interface Field {
  name: string
  min: number
  max: number
  /** Names that stand for min, min + 1, …. */
  names?: readonly string[]
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const fields = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: monthNames },
  // 7 is Sunday too.
  { name: 'day of the week', min: 0, max: 7, names: weekdayNames },
] as const satisfies readonly Field[]

const nicknames: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])

export type ParsedSchedule = { schedule: Schedule } | { problem: string }

/** The times, or what is wrong with the text. */
export function parseSchedule(text: string): ParsedSchedule {
  const words = (nicknames.get(text) ?? text).split(' ')
  if (words.length !== fields.length) {
    return { problem: 'needs five fields: minute, hour, day of the month, month, day of the week' }
  }
  const sets: Set<number>[] = []
  for (const [index, field] of fields.entries()) {
    const values = parseField(words[index] ?? '', field)
    if (!values) return { problem: `cannot hold ${words[index]} as ${field.name}` }
    sets.push(values)
  }
  const [minutes = new Set(), hours = new Set(), days = new Set(), months = new Set(), weekdays = new Set()] =
    sets
  if (weekdays.delete(7)) weekdays.add(0)
  const isEitherDay = ![words[2], words[4]].some((word) => word?.startsWith('*'))
  const schedule = { minutes, hours, days, months, weekdays, isEitherDay }
  return nextRun(schedule, new Date(0)) ? { schedule } : { problem: 'never comes: no month has that day' }
}

function parseField(word: string, field: Field): Set<number> | undefined {
  const values = new Set<number>()
  for (const item of word.split(',')) {
    const range = parseItem(item, field)
    if (!range) return undefined
    for (let value = range.from; value <= range.to; value += range.step) values.add(value)
  }
  return values
}

const itemPattern = /^(?:(\*)|([0-9]{1,2}|[a-z]{3})(?:-([0-9]{1,2}|[a-z]{3}))?)(?:\/([0-9]{1,2}))?$/i

function parseItem(item: string, field: Field): { from: number; to: number; step: number } | undefined {
  const match = itemPattern.exec(item)
  if (!match) return undefined
  const [, star, first, last, stepText] = match
  const step = stepText === undefined ? 1 : Number(stepText)
  // A step needs a range to step through.
  if (step < 1 || (stepText !== undefined && star === undefined && last === undefined)) return undefined
  if (star !== undefined) return { from: field.min, to: field.max === 7 ? 6 : field.max, step }
  const from = parseValue(first ?? '', field)
  const to = last === undefined ? from : parseValue(last, field)
  return from === undefined || to === undefined || from > to ? undefined : { from, to, step }
}

function parseValue(text: string, { min, max, names }: Field): number | undefined {
  const named = names?.indexOf(text.toLowerCase()) ?? -1
  const value = named === -1 ? (/^[0-9]+$/.test(text) ? Number(text) : Number.NaN) : named + min
  return value >= min && value <= max ? value : undefined
}

/** The next 29 February that is a Sunday can be 40 years away: a year like 2100 is no leap year. */
const searchedDays = 41 * 366
const dayMs = 86_400_000
const minuteMs = 60_000

/** The first time after this moment; undefined when none comes within 41 years, which is never. */
export function nextRun(schedule: Schedule, after: Date): Date | undefined {
  const first = Math.floor(after.getTime() / minuteMs) * minuteMs + minuteMs
  const firstDay = Math.floor(first / dayMs) * dayMs
  for (let index = 0; index < searchedDays; index++) {
    const day = firstDay + index * dayMs
    if (!isOnDay(schedule, new Date(day))) continue
    const minute = firstMinute(schedule, index === 0 ? (first - day) / minuteMs : 0)
    if (minute !== undefined) return new Date(day + minute * minuteMs)
  }
  return undefined
}

export function nextRuns(schedule: Schedule, after: Date, count: number): Date[] {
  const found: Date[] = []
  for (let last = after; found.length < count; ) {
    const next = nextRun(schedule, last)
    if (!next) break
    found.push(next)
    last = next
  }
  return found
}

function isOnDay({ months, days, weekdays, isEitherDay }: Schedule, day: Date): boolean {
  if (!months.has(day.getUTCMonth() + 1)) return false
  const isDay = days.has(day.getUTCDate())
  const isWeekday = weekdays.has(day.getUTCDay())
  return isEitherDay ? isDay || isWeekday : isDay && isWeekday
}

/** Minutes since midnight of the first time of a day that is not before `from`. */
function firstMinute({ hours, minutes }: Schedule, from: number): number | undefined {
  for (let minute = from; minute < 24 * 60; minute++) {
    if (!hours.has(Math.floor(minute / 60))) minute += 59 - (minute % 60)
    else if (minutes.has(minute % 60)) return minute
  }
  return undefined
}
