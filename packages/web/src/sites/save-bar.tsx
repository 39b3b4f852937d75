import { LoaderCircle } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { CallButton } from '../components/copy.tsx'
import { LeaveGuard } from '../components/leave-guard.tsx'
import { ErrorNotice, Notice } from '../components/notice.tsx'
import type { ApiCall } from '../lib/api.ts'
import type { TaskWithLog } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'

interface SaveBarProps {
  /** What is not saved yet, as people name it. */
  changed: readonly string[]
  isBusy: boolean
  task: TaskWithLog | undefined
  /** Why nothing can be saved now. */
  reason: string | undefined
  call: () => ApiCall
  onDiscard: () => void
}

/** Stays in view at the end of a form for as long as something in it is not saved. */
export function SaveBar({ changed, isBusy, task, reason, call, onDiscard }: SaveBarProps) {
  const isDirty = changed.length > 0
  return (
    <>
      <LeaveGuard dirty={isDirty && !isBusy} />
      {isDirty || isBusy ? (
        <section
          aria-label={strings.saveBar.label}
          className="rise sticky bottom-0 z-20 -mx-4 flex flex-wrap items-center gap-x-3 gap-y-2 border-t bg-surface px-4 py-3 sm:-mx-8 sm:px-8"
        >
          <div role="status" className="min-w-0 flex-1 basis-60 text-sm">
            {isBusy ? <Progress task={task} /> : strings.saveBar.changed(changed.join(', '))}
          </div>
          {isBusy ? null : (
            <div className="ml-auto flex items-center gap-2">
              <CallButton call={call} />
              <Button onClick={onDiscard}>{strings.saveBar.discard}</Button>
              <Button type="submit" look="primary" reason={reason} tipSide="end">
                {strings.saveBar.save}
              </Button>
            </div>
          )}
        </section>
      ) : null}
    </>
  )
}

function Progress({ task }: { task: TaskWithLog | undefined }) {
  const done = task?.steps.filter((step) => step.state === 'succeeded').length ?? 0
  return (
    <span className="flex items-center gap-2 font-medium">
      <LoaderCircle aria-hidden size={15} className="spin flex-none text-working" />
      {task && task.steps.length > 0
        ? strings.saveBar.applying(done, task.steps.length)
        : strings.saveBar.sending}
    </span>
  )
}

interface SaveProblemProps {
  /** Refused before anything was tried, unless the message stands at a field. */
  refusal: Error | null
  /** Tried, and undone. */
  failure: string | null
}

export function SaveProblem({ refusal, failure }: SaveProblemProps) {
  if (refusal) return <ErrorNotice error={refusal} />
  if (failure === null) return null
  return (
    <Notice tone="failed" title={strings.saveBar.failed}>
      <p>{failure}</p>
      <p className="mt-1 text-sm text-muted">{strings.saveBar.failedText}</p>
    </Notice>
  )
}

interface TheirsProps<Key extends PropertyKey> {
  theirs: readonly Key[]
  dirty: readonly Key[]
  names: Readonly<Record<Key, string>>
  onTake: (keys: readonly Key[]) => void
  onSeen: () => void
}

/** Somebody else saved meanwhile: what that changed here, and what to do where both typed. */
export function Theirs<Key extends PropertyKey>({ theirs, dirty, names, onTake, onSeen }: TheirsProps<Key>) {
  if (theirs.length === 0) return null
  const named = (keys: readonly Key[]) => keys.map((key) => names[key]).join(', ')
  const clash = theirs.filter((key) => dirty.includes(key))
  const text = strings.saveBar
  return (
    <div role="status">
      <Notice tone="attention" title={text.theirs}>
        <p>{clash.length > 0 ? text.clash(named(clash)) : text.theirsText(named(theirs))}</p>
        <div className="mt-2 flex flex-wrap gap-2">
          {clash.length > 0 ? <Button onClick={() => onTake(clash)}>{text.takeTheirs}</Button> : null}
          <Button onClick={onSeen}>{text.seen}</Button>
        </div>
      </Notice>
    </div>
  )
}
