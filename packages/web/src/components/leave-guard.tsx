import { useBlocker } from '@tanstack/react-router'
import { strings } from '../lib/strings.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

/** Asks before a page with unsaved changes is left, by link, by history or by closing the tab. */
export function LeaveGuard({ dirty, text = strings.common.leave }: { dirty: boolean; text?: string }) {
  const blocker = useBlocker({
    shouldBlockFn: () => dirty,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog title={strings.common.unsaved} onClose={blocker.reset}>
      <div className="flex flex-col gap-5 p-5">
        <p>{text}</p>
        <div className="flex justify-end gap-2">
          <Button onClick={blocker.reset}>{strings.common.stay}</Button>
          <Button look="danger" onClick={blocker.proceed}>
            {strings.common.discard}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
