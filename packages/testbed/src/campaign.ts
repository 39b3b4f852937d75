// The crash campaign: a failure or a kill at every step of creating and deleting a site, and afterwards either a
// clean slate or a working site, with a bystander that lost nothing.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { type Site, siteApplySteps, siteRemoveSteps } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { openFailpoints } from './failpoints.ts'
import { type Panel, type TaskWithLog, wordpressFields } from './panel.ts'
import type { Host } from './host.ts'
import { startReeve } from './reeve.ts'
import { findTraces } from './slate.ts'
import { visit, watchSite } from './visitor.ts'

export interface Failpoint {
  operation: 'create' | 'delete'
  /** As REEVE_FAILPOINT_FILE takes it. */
  where: string
  how: 'error' | 'kill'
}

const dashed = (name: string) => name.replaceAll(' ', '-')

/** Every step of both daemons, before and after its side effect. */
export function allFailpoints(): Failpoint[] {
  const steps: [operation: Failpoint['operation'], name: string, moments: string[]][] = [
    ...siteApplySteps('wordpress').map((step): (typeof steps)[number] => [
      'create',
      `site.apply.${dashed(step)}`,
      step === 'application' ? ['before', 'mid', 'after'] : ['before', 'after'],
    ]),
    ['create', 'site.create.apply', ['before', 'after']],
    ['create', 'site.create.activate', ['before', 'after']],
    ...siteRemoveSteps.map((step): (typeof steps)[number] => [
      'delete',
      `site.remove.${dashed(step)}`,
      ['before', 'after'],
    ]),
    ['delete', 'site.delete.remove', ['before', 'after']],
  ]
  return steps.flatMap(([operation, name, moments]) =>
    moments.flatMap((moment) =>
      (['error', 'kill'] as const).map((how) => ({ operation, where: `${name}:${moment}`, how })),
    ),
  )
}

export interface Campaign extends AsyncDisposable {
  /** Runs one case and returns what is wrong afterwards; [] is a pass. */
  attempt(failpoint: Failpoint): Promise<string[]>
}

/** On a server of its own. */
export async function openCampaign(): Promise<Campaign> {
  const failpoints = openFailpoints()
  const reeve = await startReeve({ env: failpoints.env })
  return {
    ...(await campaignOn(reeve, failpoints.path)),
    async [Symbol.asyncDispose]() {
      await reeve[Symbol.asyncDispose]()
      failpoints[Symbol.dispose]()
    },
  }
}

/** On a server whose REEVE_FAILPOINT_FILE is what this machine knows as `armed`. */
export async function campaignOn(host: Host, armed: string): Promise<Pick<Campaign, 'attempt'>> {
  const panel = await host.panel()
  await panel.createSite({ ...wordpressFields, domain: 'bystander.example.com' })
  let count = 0
  return {
    attempt: (failpoint) => attempt({ host, panel, armed, failpoint, domain: `case${++count}.example.com` }),
  }
}

interface Case {
  host: Host
  panel: Panel
  armed: string
  failpoint: Failpoint
  domain: string
}

async function attempt(tried: Case): Promise<string[]> {
  const { host, armed, failpoint } = tried
  const bystander = watchSite('bystander.example.com', host.https, 10)
  const problems = await (failpoint.operation === 'create' ? failCreation(tried) : failDeletion(tried))
  await bystander.reach(5)
  const { failures } = await bystander.stop()
  if (existsSync(armed)) {
    rmSync(armed)
    problems.push('the failpoint was never reached')
  }
  return [...problems, ...failures.map((failure) => `bystander: ${failure}`)]
}

const arm = ({ armed, failpoint: { where, how } }: Case) =>
  writeFileSync(armed, `${where}:${how}`, { mode: 0o644 })

async function failCreation(tried: Case): Promise<string[]> {
  const { host, panel, failpoint, domain } = tried
  arm(tried)
  const created = await panel.call<{ task: Task; site: Site }>('POST', '/api/sites', {
    ...wordpressFields,
    domain,
  })
  if (created.status !== 202) return [`create answered ${created.status}`]
  const { id } = created.body.site
  const task = await panel.taskEnd(created.body.task.id)
  const problems = await checkOutcome(host, panel, { id, domain, system_user: null }, task)
  if (failpoint.how === 'kill' && task.state !== 'succeeded')
    problems.push(`a kill made it fail: ${task.error}`)
  if (task.state === 'succeeded') problems.push(...(await removeAndCheck(host, panel, id)))
  return problems
}

async function failDeletion(tried: Case): Promise<string[]> {
  const { host, panel, domain } = tried
  const site = await panel.createSite({ ...wordpressFields, domain })
  arm(tried)
  const first = await panel.deleteSite(site.id)
  if (first.state === 'succeeded') return checkOutcome(host, panel, site, first, 'gone')
  const problems = first.error ? [] : ['the failed deletion gives no reason']
  // A deletion that failed is tried again by the person, and must then finish.
  return [...problems, ...(await removeAndCheck(host, panel, site.id))]
}

/** The task says which it is; the server must agree. */
async function checkOutcome(
  host: Host,
  panel: Panel,
  site: Pick<Site, 'id' | 'domain' | 'system_user'>,
  task: TaskWithLog,
  succeededMeans: 'served' | 'gone' = 'served',
): Promise<string[]> {
  const known = await panel.call<Site>('GET', `/api/sites/${site.id}`)
  if (task.state === 'succeeded' && succeededMeans === 'served') {
    const page = await visit(site.domain, { ...host.https, path: '/?after' })
    return page.status === 200 && known.body.state === 'active'
      ? []
      : [`the task succeeded, but the site is ${known.body.state} and answers ${page.status}`]
  }
  const problems = known.status === 404 ? [] : [`the site is still ${known.body.state}`]
  if (task.state === 'failed' && !task.error) problems.push('the failed task gives no reason')
  const traces = findTraces(host.root, { domain: site.domain, id: site.id, systemUser: site.system_user })
  return [...problems, ...traces.map((trace) => `left: ${trace}`)]
}

async function removeAndCheck(host: Host, panel: Panel, id: string): Promise<string[]> {
  const { body: site } = await panel.call<Site>('GET', `/api/sites/${id}`)
  const task = await panel.deleteSite(id)
  if (task.state !== 'succeeded') return [`deleting afterwards failed: ${task.error}`]
  return checkOutcome(host, panel, site, task, 'gone')
}
