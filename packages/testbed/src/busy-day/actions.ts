// What operators do all day, each with values of chance, in no order.
import { randomInt } from 'node:crypto'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { CronJob } from '@reeve/contract/cron.ts'
import type { DriftItem } from '@reeve/contract/drift.ts'
import { isCms, type Site, type SiteType, usesPhp } from '@reeve/contract/sites.ts'
import type { Host } from '../host.ts'
import { wordpressFields } from '../panel.ts'
import type { Client } from './notes.ts'

export const password = 'a long enough password'

const pick = <T>(values: readonly [T, ...T[]]): T => values[randomInt(values.length)] ?? values[0]
const isChance = (percent: number): boolean => randomInt(100) < percent
/** Some of the fields, at times none. */
const someOf = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(() => isChance(40)))

const mostSites = 7

export interface Day {
  host: Host
  client: Client
  /** Names the sites of this day, and how many were asked for so far. */
  asked: number
  /** Every site that was seen. */
  seen: Map<string, Site>
}

async function sitesOf({ client, seen }: Day): Promise<Site[]> {
  const answer = await client.ask<{ sites: Site[] }>('GET', '/api/sites')
  const sites = answer?.status === 200 ? answer.body.sites : []
  // A site that is half deleted tells less of itself than before.
  for (const site of sites) if (site.system_user !== null) seen.set(site.id, site)
  return sites.filter(({ domain }) => domain.startsWith('day'))
}

/** One of the day's sites that fits. */
async function aSite(day: Day, fits: (type: SiteType) => boolean = () => true): Promise<Site | undefined> {
  const [first, ...others] = (await sitesOf(day)).filter(({ type }) => fits(type))
  return first && pick([first, ...others])
}

type Action = (day: Day) => Promise<unknown>

const create: Action = async (day) => {
  if ((await sitesOf(day)).length >= mostSites) return remove(day)
  const type = pick<SiteType>(['wordpress', 'wordpress', 'php', 'laravel', 'static', 'proxy'])
  const domain = `day${++day.asked}.example.com`
  return day.client.perform('POST', '/api/sites', {
    ...(isCms(type) ? { ...wordpressFields, object_cache: isChance(50) } : { type }),
    ...(type === 'proxy' ? { proxy_upstream: `http://127.0.0.1:${day.host.port}` } : {}),
    domain,
    aliases: isChance(40) ? [`www.${domain}`] : [],
  })
}

const remove: Action = async (day) => {
  const site = await aSite(day)
  if (site) await day.client.perform('DELETE', `/api/sites/${site.id}`)
}

const configure: Action = async (day) => {
  const site = await aSite(day)
  if (!site) return
  const { domain, type } = site
  const change = someOf({
    aliases: pick([[], [`www.${domain}`], [`a.${domain}`, `b.${domain}`]]),
    redirects: pick([[], [{ from: '/old', to: '/new', status: 301 }]]),
    https_redirect: isChance(50),
    www_redirect: pick(['none', 'to_www', 'to_bare']),
    hsts: isChance(50),
    basic_auth: pick([null, { user: 'me', password }]),
    nginx_snippet: pick([null, 'add_header X-Day 1;', 'nonsense here;', 'location /x { return 204; }']),
    ...(type === 'static' ? {} : { cache: { enabled: isChance(70), ttl_s: pick([10, 600, 86_400]) } }),
    ...(isCms(type) ? { login_rate_limit: isChance(50) } : {}),
  })
  await day.client.perform('PUT', `/api/sites/${site.id}/config`, change)
}

const limitPhp: Action = async (day) => {
  const site = await aSite(day, usesPhp)
  const change = { memory_limit_mb: pick([128, 256]), php_workers: pick([null, 2, 3]) }
  if (site) await day.client.perform('PUT', `/api/sites/${site.id}/php`, change)
}

const useCaches: Action = async (day) => {
  const site = await aSite(day, (type) => type !== 'static')
  if (!site) return
  const target = pick([{ all: true }, { urls: [`https://${site.domain}/`] }])
  await day.client.ask('POST', `/api/sites/${site.id}/purge`, target)
  await day.client.ask('GET', `/api/sites/${site.id}/cache-stats`)
  if (isChance(20)) await day.client.perform('POST', `/api/sites/${site.id}/warm`)
  if (isChance(20) && isCms(site.type)) await day.client.ask('POST', `/api/sites/${site.id}/connector/rotate`)
}

const planJobs: Action = async (day) => {
  const site = await aSite(day, (type) => type !== 'proxy')
  if (!site) return
  const path = `/api/sites/${site.id}/cron`
  const job = { schedule: pick(['* * * * *', '@daily']), command: pick(['echo hello', 'sleep 3', 'false']) }
  const made = await day.client.ask<CronJob>('POST', path, job)
  if (made?.status === 201) await day.client.ask('POST', `/api/cron/${made.body.id}/run`)
  const known = await day.client.ask<{ jobs: CronJob[] }>('GET', path)
  if (known?.status !== 200) return
  const [, , ...others] = known.body.jobs.filter((other) => !other.built_in)
  for (const { id } of others) await day.client.ask('DELETE', `/api/cron/${id}`)
}

const giveAccess: Action = async (day) => {
  const site = await aSite(day, (type) => type !== 'proxy')
  if (site) await day.client.ask('POST', `/api/sites/${site.id}/sftp`, { enabled: isChance(70) })
}

/** Root edits a vhost; somebody decides about the edits found so far. */
const editByHand: Action = async (day) => {
  const site = await aSite(day)
  const vhost = site && join(day.host.root, 'etc/nginx/sites-enabled', `${site.domain}.conf`)
  if (vhost && isChance(40)) appendTo(vhost)
  const found = await day.client.ask<{ items: DriftItem[] }>('GET', '/api/system/drift')
  for (const { id } of found?.status === 200 ? found.body.items : []) {
    const action = pick(['restore', 'accept'])
    if (isChance(60)) await day.client.ask('POST', `/api/system/drift/${id}/resolve`, { action })
  }
}

function appendTo(path: string): void {
  try {
    // Without O_CREAT: a site that was deleted just now gets no file.
    const file = openSync(path, constants.O_APPEND | constants.O_WRONLY)
    writeSync(file, '# by hand\n')
    closeSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

const look: Action = async (day) => {
  const site = await aSite(day)
  for (const path of ['/api/tasks', '/api/audit', '/api/system/capacity']) await day.client.ask('GET', path)
  if (site) await day.client.ask('GET', `/api/sites/${site.id}/logs?source=access&lines=20`)
}

/** What is done often stands here often. */
const actions: readonly [Action, ...Action[]] = [
  ...([create, create, create, remove, remove] as const),
  ...([configure, configure, configure, configure, limitPhp] as const),
  ...([useCaches, useCaches, planJobs, giveAccess, editByHand, look] as const),
]

/** Works until the time, with short pauses. */
export async function operate(day: Day, until: number): Promise<void> {
  while (Date.now() < until) {
    await pick(actions)(day)
    await new Promise((done) => setTimeout(done, randomInt(300)))
  }
}
