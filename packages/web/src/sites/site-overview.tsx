import { Section } from '../components/page.tsx'
import { strings } from '../lib/strings.ts'
import { TaskTable } from '../tasks/task-table.tsx'
import { useTasksOf } from '../tasks/use-tasks-of.ts'
import { useSite } from './site-context.ts'
import { SiteFacts } from './site-facts.tsx'

export function SiteOverview() {
  const site = useSite()
  const tasks = useTasksOf(site.id)
  return (
    <>
      <SiteFacts site={site} />
      <Section title={strings.site.recent}>
        {tasks.length > 0 ? (
          <TaskTable tasks={tasks} withoutSite />
        ) : (
          <p className="text-muted">{strings.site.noTasks}</p>
        )}
      </Section>
    </>
  )
}
