import { ArrowDownToLine, Download } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy.tsx'
import { useClock } from '../components/time.tsx'
import type { TaskWithLog } from '../lib/queries.ts'
import { saveText } from '../lib/save-text.ts'
import { strings } from '../lib/strings.ts'
import { isUnderWay } from './running.ts'
import { tailOf } from './tail.ts'

const silentAfterS = 60
const shownLines = 2_000

/** The log as it grows. It follows the end until one scrolls up, and again from the end on. */
export function LogView({ task }: { task: TaskWithLog }) {
  const box = useRef<HTMLPreElement>(null)
  const [follow, setFollow] = useState(true)
  const tail = useMemo(() => tailOf(task.log, shownLines), [task.log])

  useEffect(() => {
    const element = box.current
    if (follow && element && tail.text) element.scrollTop = element.scrollHeight
  }, [tail.text, follow])

  const onScroll = () => {
    const element = box.current
    if (element) setFollow(element.scrollHeight - element.scrollTop - element.clientHeight < 24)
  }
  return (
    <div className="overflow-hidden rounded-lg border">
      <div className="flex items-center gap-1 border-b bg-sunken pl-3">
        <span className="flex-1 text-xs font-medium text-muted">{strings.tasks.log}</span>
        {isUnderWay(task) && !follow ? (
          <Button look="quiet" className="!min-h-7 text-xs" onClick={() => setFollow(true)}>
            <ArrowDownToLine aria-hidden size={13} />
            {strings.tasks.follow}
          </Button>
        ) : null}
        <DownloadLog task={task} />
        <CopyButton text={task.log} label={strings.tasks.copyLog} />
      </div>
      <pre
        ref={box}
        onScroll={onScroll}
        // A scrolling box must be reachable by keyboard.
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={strings.tasks.log}
        className="max-h-72 min-h-9 overflow-auto bg-log px-3 py-2 font-mono text-xs leading-[18px] wrap-anywhere whitespace-pre-wrap"
      >
        {tail.hiddenLines > 0 ? (
          <span className="text-muted">
            {strings.tasks.pruned(tail.hiddenLines)}
            {'\n'}
          </span>
        ) : null}
        {tail.text || (
          <span className="text-muted">
            {isUnderWay(task) ? strings.tasks.logEmpty : strings.tasks.logNone}
          </span>
        )}
      </pre>
      {isUnderWay(task) ? <Silence log={task.log} /> : null}
    </div>
  )
}

/** A task without output says so, instead of looking busy. */
function Silence({ log }: { log: string }) {
  const now = useClock((nowMs) => nowMs)
  const last = useRef({ length: log.length, at: now })
  if (last.current.length !== log.length) last.current = { length: log.length, at: now }
  const seconds = Math.floor((now - last.current.at) / 1000)
  if (seconds < silentAfterS) return null
  return <p className="border-t px-3 py-1.5 text-xs text-attention">{strings.tasks.silent(seconds)}</p>
}

function DownloadLog({ task }: { task: TaskWithLog }) {
  const download = () => saveText(`${task.id}.log`, task.log)
  return (
    <Button
      look="quiet"
      icon
      aria-label={strings.tasks.download}
      title={strings.tasks.download}
      onClick={download}
    >
      <Download aria-hidden size={15} />
    </Button>
  )
}
