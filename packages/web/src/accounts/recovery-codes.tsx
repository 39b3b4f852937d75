import { Download } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy.tsx'
import { LeaveGuard } from '../components/leave-guard.tsx'
import { Notice } from '../components/notice.tsx'
import { saveText } from '../lib/save-text.ts'
import { strings } from '../lib/strings.ts'

/** Shown once, right after the factor was switched on. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const text = codes.join('\n')
  return (
    <div className="flex flex-col gap-4">
      <LeaveGuard dirty text={strings.account.codesLeave} />
      <Notice tone="attention" title={strings.account.codesTitle}>
        {strings.account.codesText}
      </Notice>
      <ul className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-lg border bg-log p-4 font-mono text-sm">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-2">
        <Button look="primary" onClick={onDone}>
          {strings.account.codesKept}
        </Button>
        <CopyButton text={text} label={strings.common.copy} wide />
        <Button look="quiet" onClick={() => saveText('reeve-recovery-codes.txt', `${text}\n`)}>
          <Download aria-hidden size={15} />
          {strings.tasks.download}
        </Button>
      </div>
    </div>
  )
}
