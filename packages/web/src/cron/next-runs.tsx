import { exactTime } from '../lib/format.ts'

const inZone = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** In the browser's zone; UTC on hover. */
export function NextRuns({ runs }: { runs: readonly string[] }) {
  return (
    <ol className="text-sm">
      {runs.slice(0, 3).map((at, index) => (
        <li key={at} className={index === 0 ? '' : 'text-muted'}>
          <time dateTime={at} title={exactTime(at)}>
            {inZone.format(new Date(at))}
          </time>
        </li>
      ))}
    </ol>
  )
}
