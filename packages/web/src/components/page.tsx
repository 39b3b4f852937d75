import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError, messageOf } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'
import { Button } from './button.tsx'

interface PageProps {
  title: ReactNode
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

export function Page({ title, lead, actions, children }: PageProps) {
  return (
    <div className="mx-auto w-full max-w-[1200px] px-4 py-6 sm:px-8">
      <header className="mb-6 flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-auto">
          <h1 className="text-xl font-semibold tracking-[-0.01em] wrap-anywhere">{title}</h1>
          {lead ? <div className="mt-0.5 text-muted">{lead}</div> : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
      </header>
      {children}
    </div>
  )
}

export function Section({
  title,
  aside,
  children,
}: {
  title: ReactNode
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <section className="mb-8">
      <div className="mb-2 flex min-h-6 items-baseline gap-3">
        <h2 className="flex-1 text-sm font-semibold">{title}</h2>
        <div className="text-sm">{aside}</div>
      </div>
      {children}
    </section>
  )
}

/** One sentence and the one thing that fills it. */
export function Empty({ text, action, icon }: { text: ReactNode; action?: ReactNode; icon?: ReactNode }) {
  return (
    <div className="card flex flex-col items-center gap-4 border-dashed px-6 py-14 text-center">
      {icon ? <div className="text-muted">{icon}</div> : null}
      <p className="max-w-md text-muted">{text}</p>
      {action}
    </div>
  )
}

/** A page that could not be shown: forbidden, not found, or a failure that can be tried again. */
export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const status = error instanceof ApiError ? error.status : 0
  const title =
    status === 404
      ? strings.errors.notFoundTitle
      : status === 403
        ? strings.errors.forbiddenTitle
        : strings.errors.failedTitle
  const text =
    status === 404 ? strings.errors.notFound : status === 403 ? strings.errors.forbidden : messageOf(error)
  return (
    <div className="mx-auto flex max-w-lg flex-col items-start gap-4 px-6 py-20">
      <h1 className="text-xl font-semibold">{title}</h1>
      <p className="text-muted">{text}</p>
      <div className="flex gap-2">
        {onRetry && status !== 404 && status !== 403 ? (
          <Button onClick={onRetry}>{strings.errors.retry}</Button>
        ) : null}
        <Link to="/sites" className="button button-secondary">
          {strings.errors.back}
        </Link>
      </div>
    </div>
  )
}
