// What must be true when a busy day is over: every site is as its document says, or says why not and can be deleted;
// what was deleted left nothing.
import type { DriftItem } from '@reeve/contract/drift.ts'
import { redirectedNames } from '@reeve/contract/site-config.ts'
import { Domain } from '@reeve/contract/primitives.ts'
import { isCms, type Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { callPatiently, type Panel } from '../panel.ts'
import { findTraces } from '../slate.ts'
import { damagedFiles } from '../soundness.ts'
import { visit } from '../visitor.ts'
import { type Day, password } from './actions.ts'

/** Nobody works any more. Deletes every site; [] is a sound server. */
export async function judge(day: Day, panel: Panel): Promise<string[]> {
  const { root } = day.host
  await Promise.all((await tasksOf(panel)).map(({ id }) => panel.taskEnd(id, 180_000)))
  await restoreEverything(panel)
  const { body } = await callPatiently<{ sites: Site[] }>(panel, 'GET', '/api/sites')
  const left = new Set(body.sites.map(({ id }) => id))
  const gone = [...day.seen.values()].filter(({ id }) => !left.has(id))
  const problems = [
    ...(await Promise.all(body.sites.map((site) => judgeSite(day, site)))).flat(),
    ...damagedFiles(day.host),
    ...gone.flatMap((site) => tracesOf(root, site)),
  ]
  for (const site of body.sites) {
    const { error } = await panel.deleteSite(site.id)
    if (error !== null) problems.push(`deleting ${site.domain} at the end: ${error}`)
    problems.push(...tracesOf(root, { ...site, ...day.seen.get(site.id) }))
  }
  return [...problems, ...(await brokenLines(day))]
}

const tasksOf = async (panel: Panel): Promise<Task[]> =>
  (await callPatiently<{ tasks: Task[] }>(panel, 'GET', '/api/tasks')).body.tasks

async function restoreEverything(panel: Panel): Promise<void> {
  const { body } = await callPatiently<{ items: DriftItem[] }>(panel, 'GET', '/api/system/drift')
  for (const { id } of body.items) {
    await callPatiently(panel, 'POST', `/api/system/drift/${id}/resolve`, { action: 'restore' })
  }
}

async function judgeSite({ host }: Day, site: Site): Promise<string[]> {
  const { domain, state, failure, basic_auth: auth } = site
  if (state === 'failed') return failure === null ? [`${domain} failed and does not say why`] : []
  if (state !== 'active') return [`${domain} is ${state}, and nothing is being done`]
  const names = [domain, ...site.aliases].map((name) => Domain.parse(name))
  const moved = new Set(
    redirectedNames({ ...site, domain: Domain.parse(domain), aliases: names.slice(1) }).map(
      ({ from }) => from,
    ),
  )
  const credentials = { authorization: `Basic ${Buffer.from(`me:${password}`).toString('base64')}` }
  const found = names.map(async (name) => {
    const ask = async (headers: Record<string, string>) =>
      (await visit(name, { ...host.https, headers }).catch(() => ({ status: 0 }))).status
    const status = await ask(auth ? credentials : {})
    const isServed = moved.has(name) ? status === 301 : expectedOf(site, name).includes(status)
    const isOpen = auth && !moved.has(name) && (await ask({})) !== 401
    return [
      ...(isServed ? [] : [`${name} (${site.type}) answers ${status}`]),
      ...(isOpen ? [`${name} does not ask for its password`] : []),
    ]
  })
  return (await Promise.all(found)).flat()
}

function expectedOf({ domain, type }: Site, name: string): number[] {
  // The panel, which a proxied site leads to here, refuses a name that is not its own.
  if (type === 'proxy') return [200, 421]
  // WordPress itself leads to the address it was installed with (`redirect_canonical`).
  return isCms(type) && name === `www.${domain}` ? [200, 301] : [200]
}

const tracesOf = (root: string, { domain, id, system_user: systemUser }: Site): string[] =>
  findTraces(root, { domain, id, systemUser }).map((trace) => `left of ${domain}: ${trace}`)

/** What a programmer did not think of. */
async function brokenLines({ host }: Day): Promise<string[]> {
  const lines = (await host.printed()).split('\n')
  return lines.filter((line) => /TypeError|ReferenceError|SQLITE_|ENOENT|unhandled|uncaught/i.test(line))
}
