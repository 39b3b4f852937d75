import { Link } from '@tanstack/react-router'
import { Circle, CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMe } from '../lib/access.ts'
import { strings } from '../lib/strings.ts'
import { NewSiteLink } from '../sites/new-site-link.tsx'

/** What a new server still needs before one can leave it alone. */
export function FirstRun() {
  const me = useMe()
  const text = strings.home.checklist
  return (
    <section className="mb-8">
      <p className="mb-3 text-muted">{text.lead}</p>
      <ol className="card divide-y">
        <Step title={text.site} body={text.siteText} done={false} action={<NewSiteLink />} />
        <Step
          title={text.twoFactor}
          body={text.twoFactorText}
          done={me.two_factor}
          action={
            <Link to="/account" className="button button-secondary">
              {text.turnOn}
            </Link>
          }
        />
        <Step title={text.backups} body={text.backupsText} done={false} />
      </ol>
    </section>
  )
}

interface StepProps {
  title: string
  body: string
  done: boolean
  action?: ReactNode
}

function Step({ title, body, done, action }: StepProps) {
  const Icon = done ? CircleCheck : Circle
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 px-5 py-4">
      <Icon
        aria-hidden
        size={20}
        strokeWidth={1.8}
        className={`flex-none ${done ? 'text-healthy' : 'text-muted'}`}
      />
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-semibold">
          {title}
          {done ? <span className="font-normal text-muted"> · {strings.home.checklist.done}</span> : null}
        </p>
        <p className="text-sm text-muted">{body}</p>
      </div>
      {done ? null : action}
    </li>
  )
}
