import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { CommandLine } from '../components/copy.tsx'
import { agentDown } from '../lib/agent-health.ts'
import { get } from '../lib/api.ts'
import { useStore } from '../lib/store.ts'
import { strings } from '../lib/strings.ts'

const askAgainMs = 5_000

/** Shown from the first 502 until a call that needs the agent succeeds; while shown it makes such a call. */
export function AgentBanner() {
  const down = useStore(agentDown)
  useQuery({
    queryKey: ['agent'],
    queryFn: ({ signal }) => get<unknown>('/api/system/capacity', signal),
    enabled: down,
    refetchInterval: askAgainMs,
    staleTime: 0,
    retry: false,
  })
  return (
    <div role="alert">
      {down ? (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-attention-line bg-attention-soft px-4 py-2 sm:px-8">
          <TriangleAlert aria-hidden size={16} className="flex-none text-attention" />
          <p className="min-w-0 flex-1 basis-72">
            <strong className="font-semibold">{strings.agentDown.title}</strong> {strings.agentDown.body}
          </p>
          <CommandLine command={strings.agentDown.command} />
        </div>
      ) : null}
    </div>
  )
}
