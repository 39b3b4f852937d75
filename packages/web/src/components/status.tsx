import type { Site } from '@reeve/contract/sites.ts'
import type { Task, TaskStep } from '@reeve/contract/tasks.ts'
import {
  Circle,
  CircleCheck,
  CircleDashed,
  CircleMinus,
  LoaderCircle,
  type LucideIcon,
  OctagonX,
  TriangleAlert,
  Undo2,
} from 'lucide-react'
import { strings } from '../lib/strings.ts'
import { healthOfSite } from '../sites/health.ts'

/** The five words a state can be told in; each has its own shape and colour. */
export type Health = 'healthy' | 'working' | 'attention' | 'failed' | 'off'

const looks: Record<Health, { icon: LucideIcon; color: string }> = {
  healthy: { icon: CircleCheck, color: 'text-healthy' },
  working: { icon: LoaderCircle, color: 'text-working' },
  attention: { icon: TriangleAlert, color: 'text-attention' },
  failed: { icon: OctagonX, color: 'text-failed' },
  off: { icon: CircleMinus, color: 'text-off' },
}

interface StatusProps {
  health: Health
  word?: string
  /** Larger, for page headers. */
  large?: boolean
}

export function Status({ health, word = strings.status[health], large }: StatusProps) {
  const { icon: Icon, color } = looks[health]
  return (
    <span className={`inline-flex items-center gap-1.5 align-middle font-medium whitespace-nowrap ${color}`}>
      <Icon
        aria-hidden
        size={large ? 18 : 15}
        strokeWidth={2.1}
        className={health === 'working' ? 'spin' : ''}
      />
      {word}
    </span>
  )
}

export function SiteStatus({ site, large }: { site: Pick<Site, 'state'>; large?: boolean }) {
  return (
    <Status
      health={healthOfSite(site)}
      word={strings.sites.states[site.state]}
      {...(large ? { large } : {})}
    />
  )
}

const taskHealths: Record<Task['state'], Health> = {
  queued: 'off',
  running: 'working',
  undoing: 'attention',
  succeeded: 'healthy',
  failed: 'failed',
}

export function TaskStatus({ state }: { state: Task['state'] }) {
  return <Status health={taskHealths[state]} word={strings.tasks.states[state]} />
}

const stepLooks: Record<TaskStep['state'], { icon: LucideIcon; color: string }> = {
  pending: { icon: CircleDashed, color: 'text-muted' },
  running: { icon: LoaderCircle, color: 'text-working' },
  succeeded: { icon: CircleCheck, color: 'text-healthy' },
  failed: { icon: OctagonX, color: 'text-failed' },
  undone: { icon: Undo2, color: 'text-attention' },
}

export function StepIcon({ state }: { state: TaskStep['state'] }) {
  const { icon: Icon, color } = stepLooks[state] ?? { icon: Circle, color: 'text-muted' }
  return (
    <Icon
      aria-hidden
      size={16}
      strokeWidth={2}
      className={`flex-none ${color} ${state === 'running' ? 'spin' : ''}`}
    />
  )
}
