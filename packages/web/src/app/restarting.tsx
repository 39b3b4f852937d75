import { useEffect, useState } from 'react'
import { EntryCard } from '../accounts/entry-card.tsx'
import { CommandLine } from '../components/copy.tsx'
import { Notice } from '../components/notice.tsx'
import { strings } from '../lib/strings.ts'

const checkEveryMs = 2_000
const shownChecks = 10
const slowAfterMs = 90_000

async function isHealthy(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(checkEveryMs) })).ok
  } catch {
    return false
  }
}

/** Covers the page while the panel restarts, and loads it again when the panel is back. */
export function PanelRestarting() {
  const [checks, setChecks] = useState(1)
  const [startedAt] = useState(() => Date.now())
  useEffect(() => {
    const check = async (): Promise<void> => {
      if (await isHealthy()) location.reload()
      else setChecks((count) => count + 1)
    }
    const timer = setInterval(() => void check(), checkEveryMs)
    return () => clearInterval(timer)
  }, [])
  const isSlow = Date.now() - startedAt > slowAfterMs
  return (
    <div className="fixed inset-0 z-40 overflow-y-auto bg-page">
      <EntryCard
        title={strings.restarting.title}
        lead={strings.restarting.check(checks, Math.max(shownChecks, checks))}
      >
        <div role="status" className="meter h-1 overflow-hidden rounded-full bg-line">
          <div
            className="h-full bg-accent"
            style={{ width: `${Math.min(100, (checks / shownChecks) * 100)}%` }}
          />
        </div>
        {isSlow ? (
          <div className="mt-4 flex flex-col gap-3">
            <Notice tone="attention">{strings.restarting.slow}</Notice>
            {strings.restarting.commands.map((command) => (
              <CommandLine key={command} command={command} />
            ))}
          </div>
        ) : null}
      </EntryCard>
    </div>
  )
}
