import { RefreshCw } from 'lucide-react'
import { connection } from '../lib/event-stream.ts'
import { clockTime } from '../lib/format.ts'
import { useStore } from '../lib/store.ts'
import { strings } from '../lib/strings.ts'

/** Says nothing while updates arrive; says since when they do not. */
export function ConnectionChip() {
  const current = useStore(connection)
  return (
    <div role="status" className="flex-none text-xs">
      {current.state === 'lost' ? (
        <span
          className="flex items-center gap-1.5 rounded-full border border-attention-line bg-attention-soft px-2.5 py-0.5 text-attention"
          title={strings.shell.lost}
        >
          <RefreshCw aria-hidden size={12} />
          <span className="max-sm:sr-only">{strings.shell.lost}, </span>
          {strings.shell.asOf(clockTime(current.since))}
        </span>
      ) : (
        <span className="flex items-center gap-1.5 px-1.5 text-muted">
          <span
            aria-hidden
            className={`size-1.5 rounded-full ${current.state === 'live' ? 'bg-healthy' : 'bg-off'}`}
          />
          <span className="max-sm:sr-only">
            {current.state === 'live' ? strings.shell.live : strings.shell.connecting}
          </span>
        </span>
      )}
    </div>
  )
}
