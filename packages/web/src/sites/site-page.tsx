// The frame of a site's page: its name and state, what is being done to it, and the way to each of its parts.
import type { Site } from '@reeve/contract/sites.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router'
import { ExternalLink, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy.tsx'
import { Notice } from '../components/notice.tsx'
import { Empty, Page, Problem } from '../components/page.tsx'
import { SkeletonCards } from '../components/skeleton.tsx'
import { SiteStatus } from '../components/status.tsx'
import { useManageReason } from '../lib/access.ts'
import { ApiError } from '../lib/api.ts'
import { siteQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { DeleteSiteDialog } from './delete-site-dialog.tsx'
import { MissingSite } from './missing-site.tsx'
import { isServed } from './health.ts'
import { SiteContext } from './site-context.ts'
import { SiteOverview } from './site-overview.tsx'
import { SiteTabs } from './site-tabs.tsx'
import { SiteTask } from './site-task.tsx'
import { type Tab, tabAt, tabsOf } from './tabs.ts'

export function SitePage() {
  const { id } = useParams({ from: '/shell/sites/$id' })
  const { data: site, error, refetch } = useQuery(siteQuery(id))
  if (error instanceof ApiError && error.status === 404) return <MissingSite key={id} id={id} />
  if (site) return <SiteFrame key={id} site={site} />
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  return (
    <Page title="…">
      <SkeletonCards />
    </Page>
  )
}

function SiteFrame({ site }: { site: Site }) {
  const { pathname } = useLocation()
  const tab = tabAt(pathname)
  return (
    <Page title={<SiteName site={site} />} lead={<SiteLead site={site} />} actions={<Actions site={site} />}>
      {isServed(site) ? <SiteTabs site={site} /> : null}
      {site.failure ? (
        <div className="mb-6">
          <Notice
            tone="failed"
            title={strings.site.failure}
            action={<CopyButton text={site.failure} label={strings.errors.copy} />}
          >
            {site.failure}
          </Notice>
        </div>
      ) : null}
      <SiteTask key={tab?.name} site={site} brief={tab?.name === 'config' || tab?.name === 'php'} />
      <SiteContext value={site}>
        <SitePart site={site} tab={tab} />
      </SiteContext>
    </Page>
  )
}

function SitePart({ site, tab }: { site: Site; tab: Tab | undefined }) {
  if (!isServed(site)) return <SiteOverview />
  if (tab === undefined || tabsOf(site.type).includes(tab)) return <Outlet />
  return (
    <Empty
      text={strings.siteTabs.missing(strings.sites.types[site.type], strings.siteTabs[tab.name])}
      action={
        <Link to="/sites/$id" params={{ id: site.id }} className="button button-secondary">
          {strings.siteTabs.back}
        </Link>
      }
    />
  )
}

function SiteName({ site }: { site: Site }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <span className="min-w-0">{site.domain}</span>
      <CopyButton text={site.domain} label={strings.site.copyDomain} />
    </span>
  )
}

function SiteLead({ site }: { site: Site }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <SiteStatus site={site} />
      <span>{strings.sites.types[site.type]}</span>
      {site.title !== site.domain ? <span className="wrap-anywhere">{site.title}</span> : null}
    </span>
  )
}

function Actions({ site }: { site: Site }) {
  const [deleting, setDeleting] = useState(false)
  const manageReason = useManageReason()
  const reason = manageReason ?? (site.task_id === null ? undefined : strings.site.noAction)
  return (
    <>
      {isServed(site) ? (
        <a href={site.url} target="_blank" rel="noreferrer" className="button button-secondary">
          <ExternalLink aria-hidden size={15} />
          {strings.site.visit}
        </a>
      ) : null}
      <Button look="secondary" reason={reason} tipSide="end" onClick={() => setDeleting(true)}>
        <Trash2 aria-hidden size={15} />
        {strings.site.delete}
      </Button>
      {deleting ? <DeleteSiteDialog site={site} onClose={() => setDeleting(false)} /> : null}
    </>
  )
}
