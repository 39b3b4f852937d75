import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Dialog } from '../components/dialog.tsx'
import { tasksQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { isUnderWay } from './running.ts'
import { TaskView } from './task-view.tsx'

const recentMs = 120_000

/** What is running, with steps and log, over whatever page one is on. */
export function TaskDrawer({ onClose }: { onClose: () => void }) {
  const { data: tasks = [] } = useQuery(tasksQuery)
  const shown = tasks.filter(
    (task) =>
      isUnderWay(task) || (task.finished_at !== null && Date.now() - Date.parse(task.finished_at) < recentMs),
  )
  return (
    <Dialog title={strings.tasks.drawer} place="right" onClose={onClose}>
      {shown.length === 0 ? <p className="px-5 py-6 text-muted">{strings.tasks.drawerEmpty}</p> : null}
      <div className="divide-y">
        {shown.map((task) => (
          <section key={task.id} className="p-5">
            <TaskView id={task.id} heading />
          </section>
        ))}
      </div>
      <p className="border-t px-5 py-3">
        <Link to="/tasks" className="link" onClick={onClose}>
          {strings.home.allTasks}
        </Link>
      </p>
    </Dialog>
  )
}
