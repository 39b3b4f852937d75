import type { Site } from '@reeve/contract/sites.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ExternalLink, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy.tsx'
import { Notice } from '../components/notice.tsx'
import { Page, Problem, Section } from '../components/page.tsx'
import { SkeletonCards } from '../components/skeleton.tsx'
import { SiteStatus } from '../components/status.tsx'
import { useManageReason } from '../lib/access.ts'
import { ApiError } from '../lib/api.ts'
import { siteQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { TaskTable } from '../tasks/task-table.tsx'
import { useTasksOf } from '../tasks/use-tasks-of.ts'
import { DeleteSiteDialog } from './delete-site-dialog.tsx'
import { MissingSite } from './missing-site.tsx'
import { SiteFacts } from './site-facts.tsx'
import { SiteTask } from './site-task.tsx'

export function SitePage() {
  const { id } = useParams({ from: '/shell/sites/$id' })
  const { data: site, error, refetch } = useQuery(siteQuery(id))
  if (error instanceof ApiError && error.status === 404) return <MissingSite key={id} id={id} />
  if (site) return <SiteOverview key={id} site={site} />
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  return (
    <Page title="…">
      <SkeletonCards />
    </Page>
  )
}

function SiteOverview({ site }: { site: Site }) {
  const [deleting, setDeleting] = useState(false)
  const tasks = useTasksOf(site.id)
  const isServed = site.state !== 'creating' && site.state !== 'deleting'
  return (
    <Page
      title={
        <span className="inline-flex max-w-full items-center gap-1">
          <span className="min-w-0">{site.domain}</span>
          <CopyButton text={site.domain} label={strings.site.copyDomain} />
        </span>
      }
      lead={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <SiteStatus site={site} />
          <span>{strings.sites.types[site.type]}</span>
          {site.title !== site.domain ? <span className="wrap-anywhere">{site.title}</span> : null}
        </span>
      }
      actions={
        <>
          {isServed ? (
            <a href={site.url} target="_blank" rel="noreferrer" className="button button-secondary">
              <ExternalLink aria-hidden size={15} />
              {strings.site.visit}
            </a>
          ) : null}
          <DeleteButton site={site} onDelete={() => setDeleting(true)} />
        </>
      }
    >
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
      <SiteTask site={site} />
      <SiteFacts site={site} />
      <Section title={strings.site.recent}>
        {tasks.length > 0 ? (
          <TaskTable tasks={tasks} withoutSite />
        ) : (
          <p className="text-muted">{strings.site.noTasks}</p>
        )}
      </Section>
      {deleting ? <DeleteSiteDialog site={site} onClose={() => setDeleting(false)} /> : null}
    </Page>
  )
}

function DeleteButton({ site, onDelete }: { site: Site; onDelete: () => void }) {
  const manageReason = useManageReason()
  const reason = manageReason ?? (site.task_id === null ? undefined : strings.site.noAction)
  return (
    <Button look="secondary" reason={reason} tipSide="end" onClick={onDelete}>
      <Trash2 aria-hidden size={15} />
      {strings.site.delete}
    </Button>
  )
}
