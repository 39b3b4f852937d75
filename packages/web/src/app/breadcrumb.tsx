import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { siteQuery, taskQuery } from '../lib/queries.ts'
import { lookUp, strings, taskKind } from '../lib/strings.ts'
import { tabAt } from '../sites/tabs.ts'
import { useTasksOf } from '../tasks/use-tasks-of.ts'

interface Crumb {
  label: string
  to: string
}

const sections: Readonly<Record<string, string>> = {
  sites: strings.shell.sites,
  tasks: strings.shell.tasks,
  users: strings.shell.users,
  audit: strings.shell.audit,
  account: strings.shell.account,
  drift: strings.shell.drift,
  logs: strings.shell.logs,
}

/** Where the page stands, from its address and the names already loaded. */
export function useCrumbs(): Crumb[] {
  const pathname = useRouterState({ select: (state) => state.location.pathname })
  const [section, id] = pathname.split('/').filter(Boolean)
  const isSite = section === 'sites' && id !== undefined && id !== 'new'
  const isTask = section === 'tasks' && id !== undefined
  const site = useQuery({ ...siteQuery(id ?? ''), enabled: isSite, retry: false })
  const task = useQuery({ ...taskQuery(id ?? ''), enabled: isTask, retry: false })
  // A site that is gone, or was never finished, is still named by what was done to it.
  const lastDomain = useTasksOf(id ?? '')[0]?.site_domain ?? strings.errors.notFoundTitle

  if (section === undefined) return [{ label: strings.shell.overview, to: '/' }]
  const sectionLabel = lookUp(sections, section)
  if (sectionLabel === undefined) return [{ label: strings.errors.notFoundTitle, to: pathname }]
  const first = { label: sectionLabel, to: `/${section}` }
  if (id === undefined) return [first]
  const label = isSite
    ? (site.data?.domain ?? (site.isError ? lastDomain : undefined))
    : isTask
      ? task.data
        ? [taskKind(task.data.kind), task.data.site_domain].filter(Boolean).join(' · ')
        : task.isError
          ? strings.errors.notFoundTitle
          : undefined
      : strings.newSite.title
  const tab = tabAt(pathname)
  if (!isSite || tab === undefined || tab.name === 'overview')
    return [first, { label: label ?? '…', to: pathname }]
  return [
    first,
    { label: label ?? '…', to: `/sites/${id}` },
    { label: strings.siteTabs[tab.name], to: pathname },
  ]
}

export function Breadcrumb() {
  const crumbs = useCrumbs()
  return (
    <nav aria-label={strings.shell.breadcrumb} className="min-w-0 flex-1">
      <ol className="flex min-w-0 items-center gap-1.5 text-sm">
        {crumbs.map((crumb, index) => {
          const last = index === crumbs.length - 1
          return (
            <li
              key={crumb.to}
              className={`flex min-w-0 items-center gap-1.5 ${last ? 'flex-1' : 'max-sm:hidden'}`}
            >
              {last ? (
                <span aria-current="page" className="truncate font-medium">
                  {crumb.label}
                </span>
              ) : (
                <>
                  <Link
                    to={crumb.to}
                    activeOptions={{ exact: true }}
                    className="truncate text-muted hover:text-ink"
                  >
                    {crumb.label}
                  </Link>
                  <ChevronRight aria-hidden size={13} className="flex-none text-muted" />
                </>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
