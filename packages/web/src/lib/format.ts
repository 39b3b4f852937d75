// Numbers and times as people read them.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' })
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const exact = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'shortOffset',
})
const day = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' })
const plurals = new Intl.PluralRules('en')

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** "3 minutes ago", "in 2 days"; "just now" within 10 seconds. */
export function relativeTime(timestamp: string, nowMs: number): string {
  const seconds = (Date.parse(timestamp) - nowMs) / 1000
  const magnitude = Math.abs(seconds)
  if (magnitude < 10) return 'just now'
  for (const [unit, size] of units) {
    if (magnitude >= size) return relative.format(Math.trunc(seconds / size), unit)
  }
  return relative.format(Math.trunc(seconds), 'second')
}

/** The browser's time with its offset, then UTC, which is the server's notation. */
export function exactTime(timestamp: string): string {
  const date = new Date(timestamp)
  return `${exact.format(date)} · ${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

export const clockTime = (timestamp: number | string): string => clock.format(new Date(timestamp))

export const dayOf = (timestamp: string): string => day.format(new Date(timestamp))

/** "0.4 s", "12 s", "2 min 5 s", "1 h 3 min". */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Cache lifetimes: "10 min", "1 h", "3 days". */
export function lifetime(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400} ${plural(seconds / 86_400, 'day', 'days')}`
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  if (seconds % 60 === 0) return `${seconds / 60} min`
  return `${seconds} s`
}

export function daysUntil(timestamp: string, nowMs: number): number {
  return Math.floor((Date.parse(timestamp) - nowMs) / 86_400_000)
}

export function plural(count: number, one: string, other: string): string {
  return plurals.select(count) === 'one' ? one : other
}

export const megabytes = (mb: number): string => (mb >= 1024 ? `${(mb / 1024).toFixed(1)} GB` : `${mb} MB`)
