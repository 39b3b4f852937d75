import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy.tsx'
import { LeaveGuard } from '../components/leave-guard.tsx'
import { Notice } from '../components/notice.tsx'
import { strings } from '../lib/strings.ts'

const text = strings.access

/** Shown once, right after it was made. */
export function OncePassword({ password, onKept }: { password: string; onKept: () => void }) {
  return (
    <div className="mb-4 flex flex-col gap-3">
      <LeaveGuard dirty text={text.leave} />
      <Notice tone="attention" title={text.keepTitle}>
        {text.keepText}
      </Notice>
      <p className="flex items-center justify-between gap-2 rounded-lg border bg-log py-1 pr-1 pl-4">
        <code className="min-w-0 font-mono text-sm wrap-anywhere">{password}</code>
        <CopyButton text={password} label={text.copyPassword} />
      </p>
      <div>
        <Button look="primary" onClick={onKept}>
          {text.kept}
        </Button>
      </div>
    </div>
  )
}
