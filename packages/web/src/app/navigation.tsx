import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  FileDiff,
  FileText,
  Gauge,
  Globe,
  ListChecks,
  type LucideIcon,
  ScrollText,
  UserRound,
  Users,
} from 'lucide-react'
import { useMe } from '../lib/access.ts'
import { bootstrapQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { TaskPill } from '../tasks/task-pill.tsx'
import { AccountMenu } from './account-menu.tsx'
import { Mark } from './mark.tsx'
import { pagesFor } from './pages.ts'

const icons: Record<string, LucideIcon> = {
  '/': Gauge,
  '/sites': Globe,
  '/tasks': ListChecks,
  '/drift': FileDiff,
  '/logs': FileText,
  '/users': Users,
  '/audit': ScrollText,
  '/account': UserRound,
}

export function Navigation({ onNavigate, onTasks }: { onNavigate: () => void; onTasks: () => void }) {
  const me = useMe()
  const { data: bootstrap } = useQuery(bootstrapQuery)
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-12 items-center gap-2.5 px-4 py-2">
        <Mark size={24} />
        <div className="min-w-0 leading-tight">
          <p className="font-semibold tracking-[-0.01em]">{strings.product}</p>
          <p className="truncate text-xs text-muted" title={bootstrap?.hostname}>
            {bootstrap?.hostname}
          </p>
        </div>
      </div>
      <nav aria-label={strings.shell.navigation} className="min-h-0 flex-1 overflow-y-auto px-2 py-3">
        <ul className="flex flex-col gap-0.5">
          {pagesFor(me.role).map((page) => {
            const Icon = icons[page.to] ?? Globe
            return (
              <li key={page.to}>
                <Link
                  to={page.to}
                  activeOptions={{ exact: page.to === '/' }}
                  onClick={onNavigate}
                  className="pointer-coarse:min-h-11 flex min-h-8 items-center gap-2.5 rounded-md px-2.5 hover:bg-hover"
                  activeProps={{ className: 'bg-accent-soft font-medium' }}
                  inactiveProps={{ className: 'text-muted' }}
                >
                  <Icon aria-hidden size={16} strokeWidth={1.9} className="flex-none" />
                  {page.label}
                </Link>
              </li>
            )
          })}
        </ul>
      </nav>
      <div className="px-2 pb-2 empty:hidden max-md:hidden">
        <TaskPill onOpen={onTasks} />
      </div>
      <AccountMenu onNavigate={onNavigate} />
    </div>
  )
}
