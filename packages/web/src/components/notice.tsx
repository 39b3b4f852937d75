import { CircleCheck, Info, OctagonX, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { agentDown } from '../lib/agent-health.ts'
import { ApiError, messageOf } from '../lib/api.ts'
import { useStore } from '../lib/store.ts'
import { strings } from '../lib/strings.ts'
import { CopyButton } from './copy.tsx'

type Tone = 'failed' | 'attention' | 'info' | 'healthy'

const tones = {
  failed: { icon: OctagonX, box: 'border-failed-line bg-failed-soft', color: 'text-failed' },
  attention: { icon: TriangleAlert, box: 'border-attention-line bg-attention-soft', color: 'text-attention' },
  info: { icon: Info, box: 'bg-sunken', color: 'text-muted' },
  healthy: { icon: CircleCheck, box: 'bg-accent-soft', color: 'text-healthy' },
}

interface NoticeProps {
  tone: Tone
  title?: ReactNode
  children?: ReactNode
  action?: ReactNode
}

export function Notice({ tone, title, children, action }: NoticeProps) {
  const { icon: Icon, box, color } = tones[tone]
  return (
    <div
      role={tone === 'failed' ? 'alert' : undefined}
      className={`flex gap-2.5 rounded-lg border px-3.5 py-2.5 ${box}`}
    >
      <Icon aria-hidden size={16} strokeWidth={2.1} className={`mt-0.5 flex-none ${color}`} />
      <div className="min-w-0 flex-1 wrap-anywhere">
        {title ? <p className="font-semibold">{title}</p> : null}
        {children}
      </div>
      {action ? <div className="-my-1.5 -mr-2 flex flex-none items-start">{action}</div> : null}
    </div>
  )
}

/** The server's own sentence, kept until it is no longer true, with a way to take it along. */
export function ErrorNotice({ error }: { error: unknown }) {
  const message = messageOf(error)
  const isDown = useStore(agentDown)
  // Once the agent answers again the sentence is no longer true; the form is still there to be sent.
  if (error instanceof ApiError && error.code === 'agent_unavailable' && !isDown) return null
  return (
    <Notice tone="failed" action={<CopyButton text={message} label={strings.errors.copy} />}>
      {message}
    </Notice>
  )
}

export interface Rejection {
  field: string | undefined
  message: string
}

/**
 * Where a refused form shows its message: at the field the server named, or above the form.
 * `labels` names the fields of the form as people see them.
 */
export function rejection(error: unknown, labels: Readonly<Record<string, string>>): Rejection | undefined {
  if (error === null || error === undefined) return undefined
  const message = messageOf(error)
  const path = error instanceof ApiError ? error.field : undefined
  const field = path?.split('.')[0]
  if (path === undefined || field === undefined || !Object.hasOwn(labels, field))
    return { field: undefined, message }
  // The schema says "domain: is reserved", a rule "admin_user is needed …"; people know it by its label.
  for (const prefix of [`${path}: `, `${path} `]) {
    if (!message.startsWith(prefix)) continue
    const rest = message.slice(prefix.length)
    return { field, message: /^[a-z]/.test(rest) ? `${labels[field]} ${rest}` : rest }
  }
  return { field, message }
}
