// What needs a person, from what is already loaded. The headline of the overview counts these.
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { daysUntil } from '../lib/format.ts'
import { strings, taskKind } from '../lib/strings.ts'

export type Concern =
  | {
      id: string
      severity: 'failed' | 'attention'
      subject: string
      text: string
      siteId: string
      taskId?: never
    }
  | {
      id: string
      severity: 'failed' | 'attention'
      subject: string
      text: string
      taskId: string
      siteId?: never
    }

const certificateWarningDays = 14
const dayMs = 86_400_000

function ofSite(site: Site, nowMs: number): Concern[] {
  if (site.state === 'failed') {
    const text = site.failure ?? strings.home.siteFailed
    return [{ id: site.id, severity: 'failed', subject: site.domain, text, siteId: site.id }]
  }
  if (site.certificate?.issuer !== 'acme') return []
  const days = daysUntil(site.certificate.expires_at, nowMs)
  const isClose = days < certificateWarningDays
  // It is tried again by itself, but the reason is often one that only a person can remove.
  if (!isClose && site.certificate.last_error === null) return []
  const text = isClose
    ? strings.home.certificateExpires(days)
    : `${strings.certificate.lastError}. ${site.certificate.last_error}`
  return [
    { id: site.id, severity: days < 0 ? 'failed' : 'attention', subject: site.domain, text, siteId: site.id },
  ]
}

/** A failed task of the last day, unless the same thing has been done since or its site says so itself. */
function ofTasks(tasks: readonly Task[], sites: readonly Site[], nowMs: number): Concern[] {
  const failedSites = new Set(sites.filter((site) => site.state === 'failed').map((site) => site.id))
  const settled = new Set<string>()
  const concerns: Concern[] = []
  for (const task of tasks) {
    const subject = task.site_domain ?? taskKind(task.kind)
    const key = `${task.kind} ${subject}`
    if (settled.has(key)) continue
    if (task.state === 'succeeded' || task.state === 'failed') settled.add(key)
    if (task.state !== 'failed' || nowMs - Date.parse(task.created_at) > dayMs) continue
    if (task.site_id && failedSites.has(task.site_id)) continue
    const text = task.error ?? strings.home.taskFailed(taskKind(task.kind))
    concerns.push({ id: task.id, severity: 'failed', subject, text, taskId: task.id })
  }
  return concerns
}

/** The worst first. `tasks` are newest first. */
export function concernsOf(sites: readonly Site[], tasks: readonly Task[], nowMs: number): Concern[] {
  const all = [...sites.flatMap((site) => ofSite(site, nowMs)), ...ofTasks(tasks, sites, nowMs)]
  return all.sort((a, b) => Number(b.severity === 'failed') - Number(a.severity === 'failed'))
}
