// The power-cut campaign: the power of an installed server goes while a site is created or deleted, or right after.
// After the next boot every change that was acknowledged is there, nothing is half-made, and a bystander serves.
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import type { InstalledHost } from './installed.ts'
import { type Panel, wordpressFields } from './panel.ts'
import { contentOf, findDamage } from './soundness.ts'
import { visit } from './visitor.ts'

export interface PowerCut {
  operation: 'create' | 'delete'
  type: 'wordpress' | 'php' | 'static'
  /** A share of the time that the operation takes, or `acknowledged`: as soon as the panel said that it is done. */
  moment: number | 'acknowledged'
}

export interface Outcome {
  /** What the panel had said when the power went. */
  before: 'nothing' | 'accepted' | 'done'
  /** What became of it: the site is there or it is not. */
  after: 'there' | 'gone'
  /** From switching on until the panel answered. */
  upAfterMs: number
  problems: string[]
}

export interface PowerCuts {
  /** One cut, one boot, and what is wrong afterwards. */
  attempt(cut: PowerCut): Promise<Outcome>
}

/** A site that the panel has said is there, and what it consisted of then. */
interface Acknowledged {
  site: Site
  content: string[]
}

interface Campaign {
  host: InstalledHost
  panel: Panel
  acknowledged: Map<string, Acknowledged>
  /** How long each operation takes here, by its name. */
  usualMs: Map<string, number>
  count: number
}

export async function openPowerCuts(host: InstalledHost): Promise<PowerCuts> {
  const panel = await host.panel()
  const campaign: Campaign = { host, panel, acknowledged: new Map(), usualMs: new Map(), count: 0 }
  // The first one of a version takes longer than those after it.
  await create(campaign, 'wordpress')
  for (const type of ['wordpress', 'php', 'static'] as const) await timed(campaign, type)
  return { attempt: (cut) => attempt(campaign, cut) }
}

const fieldsOf = (type: PowerCut['type'], domain: string) =>
  type === 'wordpress' ? { ...wordpressFields, domain, object_cache: true } : { type, domain }

const nextDomain = (campaign: Campaign) => `cut${++campaign.count}.example.com`

async function create(campaign: Campaign, type: PowerCut['type']): Promise<Site> {
  const site = await campaign.panel.createSite(fieldsOf(type, nextDomain(campaign)))
  acknowledge(campaign, site)
  return site
}

function acknowledge({ acknowledged, host }: Campaign, site: Site): void {
  acknowledged.set(site.domain, { site, content: contentOf(host.root, site) })
}

async function timed(campaign: Campaign, type: PowerCut['type']): Promise<void> {
  const started = performance.now()
  const site = await campaign.panel.createSite(fieldsOf(type, nextDomain(campaign)))
  learn(campaign, `create ${type}`, started)
  const deleting = performance.now()
  await campaign.panel.deleteSite(site.id)
  learn(campaign, `delete ${type}`, deleting)
}

/** The shortest counts, or on a busy machine most cuts would come too late. */
function learn({ usualMs }: Campaign, operation: string, startedAt: number): void {
  usualMs.set(operation, Math.min(usualMs.get(operation) ?? Infinity, performance.now() - startedAt))
}

async function attempt(campaign: Campaign, cut: PowerCut): Promise<Outcome> {
  const { host, panel } = campaign
  const victim = cut.operation === 'delete' ? await create(campaign, cut.type) : undefined
  const domain = victim?.domain ?? nextDomain(campaign)
  const request =
    victim === undefined
      ? panel.call<{ task: Task }>('POST', '/api/sites', fieldsOf(cut.type, domain))
      : panel.call<{ task: Task }>('DELETE', `/api/sites/${victim.id}`)
  const requested = performance.now()
  const progress = watch(panel, request)
  void progress.done.then(() => learn(campaign, `${cut.operation} ${cut.type}`, requested))
  await momentOf(campaign, cut, progress)
  // What the panel said last, before its power goes.
  const before = progress.said
  if (before === 'done' && victim === undefined) await acknowledgeByName(campaign, domain)
  await host.server.cutPower()
  progress.stop()
  const started = performance.now()
  await host.server.boot()
  await untilPanelAnswers(panel)
  const upAfterMs = Math.round(performance.now() - started)
  const { problems, isThere } = await judge(campaign, { cut, domain, before, task: progress.task })
  return { before, after: isThere ? 'there' : 'gone', upAfterMs, problems }
}

interface Progress {
  said: Outcome['before']
  task: string | undefined
  /** Resolves when the task has ended; never, when the power goes before. */
  done: Promise<void>
  stop(): void
}

/** Follows the request and its task, as a browser would, for as long as there is an answer. */
function watch(panel: Panel, request: Promise<{ status: number; body: { task: Task } }>): Progress {
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let isStopped = false
  const progress: Progress = {
    said: 'nothing',
    task: undefined,
    done,
    stop: () => {
      isStopped = true
    },
  }
  const follow = async () => {
    const { status, body } = await request
    if (status !== 202) throw new Error(`the panel answered ${status}: ${JSON.stringify(body)}`)
    progress.task = body.task.id
    progress.said = 'accepted'
    while (!isStopped) {
      const { body: task } = await panel.call<Task>('GET', `/api/tasks/${body.task.id}`)
      if (task.state === 'succeeded') {
        progress.said = 'done'
        return resolve()
      }
      await new Promise((wait) => setTimeout(wait, 10))
    }
  }
  // The power goes while it waits for an answer. What it had heard until then is what counts.
  follow().catch(() => undefined)
  return progress
}

async function momentOf(campaign: Campaign, { operation, type, moment }: PowerCut, { done }: Progress) {
  const usualMs = campaign.usualMs.get(`${operation} ${type}`) ?? 1000
  const waitMs = moment === 'acknowledged' ? 60_000 : usualMs * moment
  const { promise: waited, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, waitMs)
  await (moment === 'acknowledged' ? Promise.race([done, waited]) : waited)
  clearTimeout(timer)
}

async function acknowledgeByName(campaign: Campaign, domain: string): Promise<void> {
  const { body } = await campaign.panel.call<{ sites: Site[] }>('GET', '/api/sites')
  const site = body.sites.find((each) => each.domain === domain)
  if (site) acknowledge(campaign, site)
}

async function untilPanelAnswers(panel: Panel): Promise<void> {
  const deadline = Date.now() + 120_000
  for (let last = ''; ; ) {
    try {
      // The session is an acknowledged change as well.
      const { status } = await panel.call('GET', '/api/system/capacity')
      if (status === 200) return
      last = `status ${status}`
    } catch (error) {
      last = String(error)
    }
    if (Date.now() > deadline) throw new Error(`The panel did not answer after the power came back: ${last}`)
    await new Promise((wait) => setTimeout(wait, 50))
  }
}

interface Case {
  cut: PowerCut
  domain: string
  before: Outcome['before']
  task: string | undefined
}

async function judge(
  campaign: Campaign,
  { cut, domain, before, task }: Case,
): Promise<{ problems: string[]; isThere: boolean }> {
  const { panel, acknowledged } = campaign
  const problems = task === undefined ? [] : await endOf(panel, task, cut)
  await untilNothingRuns(panel)
  const { body } = await panel.call<{ sites: Site[] }>('GET', '/api/sites')
  const site = body.sites.find((each) => each.domain === domain)
  if (cut.operation === 'delete' && site === undefined) acknowledged.delete(domain)
  if (cut.operation === 'delete' && before !== 'nothing' && site) problems.push('what was deleted is there')
  if (cut.operation === 'create' && site && !acknowledged.has(domain)) acknowledge(campaign, site)
  for (const known of acknowledged.values()) problems.push(...(await missingOf(campaign, known, body.sites)))
  problems.push(...(await findDamage(campaign.host, body.sites)))
  if (site) problems.push(...(await removeAgain(campaign, site)))
  return { problems, isThere: site !== undefined }
}

/** A task that was accepted is known for ever, and ends. */
async function endOf(panel: Panel, id: string, { operation }: PowerCut): Promise<string[]> {
  const ended = await panel.taskEnd(id, 90_000)
  if (ended.state === 'succeeded') return []
  return [`${operation} failed after the cut: ${ended.error}`]
}

/** Also a task whose answer nobody heard. */
async function untilNothingRuns(panel: Panel): Promise<void> {
  const { body } = await panel.call<{ tasks: Task[] }>('GET', '/api/tasks?limit=20')
  for (const { id, state } of body.tasks)
    if (state !== 'succeeded' && state !== 'failed') await panel.taskEnd(id, 90_000)
}

async function missingOf(
  { host }: Campaign,
  { site, content }: Acknowledged,
  sites: readonly Site[],
): Promise<string[]> {
  const { domain, type } = site
  const known = sites.find(({ id }) => id === site.id)
  if (known?.state !== 'active') return [`${domain} was there and is ${known?.state ?? 'unknown'}`]
  const now = contentOf(host.root, site)
  const lost = content.filter((line) => !now.includes(line)).map((line) => `${domain} lost ${line}`)
  const paths = ['/', `/?uncached=${Date.now()}`, ...(type === 'wordpress' ? ['/wp-login.php'] : [])]
  const answers = await Promise.all(
    paths.map(async (path) => ({ path, page: await visit(domain, { ...host.https, path }).catch(String) })),
  )
  const unserved = answers.flatMap(({ path, page }) => {
    if (typeof page === 'string') return [`${domain}${path}: ${page}`]
    return page.status === 200 && page.body.length > 0 ? [] : [`${domain}${path} answers ${page.status}`]
  })
  return [...lost, ...unserved]
}

/** What was carried on after a cut can be deleted like any other site. */
async function removeAgain({ panel, acknowledged }: Campaign, site: Site): Promise<string[]> {
  const task = await panel.deleteSite(site.id)
  acknowledged.delete(site.domain)
  return task.state === 'succeeded' ? [] : [`it cannot be deleted: ${task.error}`]
}
