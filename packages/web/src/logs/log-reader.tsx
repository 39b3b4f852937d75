import { ArrowDownToLine, Download } from 'lucide-react'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { saveText } from '../lib/save-text.ts'
import { strings } from '../lib/strings.ts'
import type { Tail } from './tail.ts'
import { useTail } from './use-tail.ts'

const text = strings.logs

interface LogReaderProps<Source extends string> {
  /** The endpoint that answers with lines. */
  path: string
  sources: Readonly<Record<Source, string>>
  first: Source
  /** What a saved file is called, before the source. */
  fileName: string
}

export function LogReader<Source extends string>({ path, sources, first, fileName }: LogReaderProps<Source>) {
  const [source, setSource] = useState<string>(first)
  const [filter, setFilter] = useState('')
  const [follows, setFollows] = useState(true)
  const [wraps, setWraps] = useState(true)
  const asked = useDeferredValue(filter.trim())
  const { data: tail, error } = useTail(path, source, asked, follows)
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <select
          aria-label={text.source}
          className="control sm:!w-56"
          value={source}
          onChange={(event) => {
            setSource(event.target.value)
            setFollows(true)
          }}
        >
          {Object.entries<string>(sources).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label={text.filter}
          placeholder={text.filter}
          maxLength={200}
          className="control sm:!w-64"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <button type="button" className="chip" aria-pressed={wraps} onClick={() => setWraps(!wraps)}>
          {text.wrap}
        </button>
      </div>
      {error ? (
        <div className="mb-3">
          <ErrorNotice error={error} />
        </div>
      ) : null}
      {tail ? (
        <Lines
          key={`${source} ${asked}`}
          {...{ tail, wraps, follows, filter: asked }}
          fileName={`${fileName}-${source}.log`}
          onFollow={setFollows}
        />
      ) : null}
    </>
  )
}

function Following() {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span aria-hidden className="size-2 rounded-full bg-healthy" />
      {text.following}
    </span>
  )
}

interface LinesProps {
  tail: Tail
  wraps: boolean
  follows: boolean
  filter: string
  fileName: string
  onFollow: (follows: boolean) => void
}

/** Follows the end until one scrolls up, and again from the end on. */
function Lines({ tail, wraps, follows, filter, fileName, onFollow }: LinesProps) {
  const box = useRef<HTMLPreElement>(null)
  const shown = tail.lines.join('\n')
  useEffect(() => {
    const element = box.current
    if (follows && element && shown) element.scrollTop = element.scrollHeight
  }, [shown, follows, wraps])
  const onScroll = () => {
    const element = box.current
    if (element) onFollow(element.scrollHeight - element.scrollTop - element.clientHeight < 24)
  }
  const isEmpty = tail.lines.length === 0
  return (
    <div className="overflow-hidden rounded-lg border">
      <div className="flex min-h-9 flex-wrap items-center gap-1 border-b bg-sunken pl-3">
        <div role="status" className="min-w-0 flex-1 text-xs text-muted">
          {follows ? <Following /> : text.paused}
        </div>
        {follows ? null : (
          <Button look="quiet" onClick={() => onFollow(true)}>
            <ArrowDownToLine aria-hidden size={14} />
            {text.toEnd}
          </Button>
        )}
        <Button
          look="quiet"
          icon
          aria-label={text.download}
          title={text.download}
          reason={isEmpty ? text.nothing : undefined}
          tipSide="end"
          onClick={() => saveText(fileName, `${shown}\n`)}
        >
          <Download aria-hidden size={15} />
        </Button>
        <CopyButton text={shown} label={text.copy} />
      </div>
      <pre
        ref={box}
        onScroll={onScroll}
        // A scrolling box must be reachable by keyboard.
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={text.title}
        className={`h-[60vh] min-h-60 overflow-auto bg-log px-3 py-2 font-mono text-xs leading-[18px] ${
          wraps ? 'wrap-anywhere whitespace-pre-wrap' : 'whitespace-pre'
        }`}
      >
        {tail.isCut ? <span className="text-muted">{`${text.earlier}\n`}</span> : null}
        {isEmpty ? (
          <span className="text-muted">{filter === '' ? text.empty : text.emptyFilter(filter)}</span>
        ) : (
          shown
        )}
      </pre>
    </div>
  )
}
