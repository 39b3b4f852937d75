import { strings } from '../lib/strings.ts'
import { type DiffLine, diffLines } from './diff-lines.ts'

const looks: Record<DiffLine['kind'], { sign: string; row: string }> = {
  hunk: { sign: '', row: 'text-muted' },
  same: { sign: ' ', row: '' },
  removed: { sign: '−', row: 'bg-failed-soft' },
  added: { sign: '+', row: 'bg-accent-soft' },
}

/** Each line with its sign; a screen reader is told the same in words. */
export function DiffView({ diff, label }: { diff: string; label: string }) {
  const lines = diffLines(diff)
  const text = strings.drift
  if (lines.length === 0) return <p className="text-sm text-muted">{text.noDiff}</p>
  return (
    <figure className="overflow-hidden rounded-lg border">
      <figcaption className="flex flex-wrap gap-x-4 border-b bg-sunken px-3 py-1.5 text-xs text-muted">
        <span>
          <span className="font-mono font-semibold text-failed">−</span> {text.removed}
        </span>
        <span>
          <span className="font-mono font-semibold text-healthy">+</span> {text.added}
        </span>
      </figcaption>
      <div
        // A scrolling box must be reachable by keyboard.
        tabIndex={0}
        role="region"
        aria-label={label}
        className="max-h-96 overflow-auto bg-log py-1.5 font-mono text-xs leading-[18px]"
      >
        <div className="w-max min-w-full">
          {lines.map(({ kind, text: line }, index) => (
            <div key={index} className={`flex px-3 whitespace-pre ${looks[kind].row}`}>
              <span className="w-5 flex-none select-none">{looks[kind].sign}</span>
              <span>{line === '' ? ' ' : line}</span>
            </div>
          ))}
        </div>
      </div>
    </figure>
  )
}
