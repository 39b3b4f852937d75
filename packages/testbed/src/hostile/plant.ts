// Puts hostile text into everything of a server that keeps text: by the API, as a visitor, as a site's own code, as
// its certificate authority, and with an editor in a file of the panel.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CronJob } from '@reeve/contract/cron.ts'
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { expect, vi } from 'vitest'
import type { CertificateLab } from '../certificates.ts'
import { people } from '../gallery.ts'
import { callPatiently, wordpressFields } from '../panel.ts'
import { administrator } from '../reeve.ts'
import { visit } from '../visitor.ts'
import { placesOf } from './fields.ts'
import { markup, rightToLeft, secretMarkup, shortMarkup, texts } from './texts.ts'

export interface Planted {
  site: Site
  /** The ordering of a certificate that failed. */
  failedTask: string
  /** Names of the fields that took text. */
  places: ReadonlySet<string>
}

interface Ground {
  lab: CertificateLab
  /** Throws unless the answer has this status. */
  send<Body>(method: string, path: string, body: object, status: number): Promise<Body>
  /** What somebody without the administrator's session sends. */
  sendAs(headers: Readonly<Record<string, string>>, path: string, body: object): Promise<Response>
  places: ReadonlySet<string>
}

export const userAgent = `Mozilla/5.0 ${markup}`

export async function plant(lab: CertificateLab): Promise<Planted> {
  const ground = prepare(lab)
  const site = await plantInSite(ground)
  await plantInConfiguration(ground, site)
  await plantInCron(ground, site)
  await plantInAccess(ground, site)
  await plantInLogs(ground, site)
  const failedTask = await plantInTasks(ground, site)
  await plantInAccounts(ground)
  await plantInAudit(ground, site)
  plantInDrift(ground, site)
  return { site, failedTask, places: ground.places }
}

function prepare(lab: CertificateLab): Ground {
  const { panel } = lab
  const places = new Set<string>()
  const note = (method: string, path: string, body: object) => {
    for (const place of placesOf(method, path, body, texts)) places.add(place)
  }
  return {
    lab,
    places,
    async send<Body>(method: string, path: string, body: object, status: number) {
      const answer = await callPatiently<Body>(panel, method, path, body)
      expect([answer.status, path], JSON.stringify(answer.body)).toEqual([status, path])
      if (status < 300) note(method, path, body)
      return answer.body
    },
    async sendAs(headers, path, body) {
      note('POST', path, body)
      return await fetch(panel.origin + path, {
        method: 'POST',
        headers: { origin: panel.origin, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      })
    },
  }
}

async function taskEnd({ lab }: Ground, { task }: { task: Task }) {
  return await lab.panel.taskEnd(task.id, 120_000)
}

async function plantInSite(ground: Ground): Promise<Site> {
  const domain = 'hostile.example.com'
  await ground.lab.authority.lead([domain], '127.0.0.1')
  const fields = { ...wordpressFields, domain, title: markup, admin_password: secretMarkup }
  const created = await ground.send<{ task: Task; site: Site }>('POST', '/api/sites', fields, 202)
  const { state, error } = await taskEnd(ground, created)
  expect([state, error]).toEqual(['succeeded', null])
  return await ground.lab.site(created.site.id)
}

/** In a comment of the snippet; anywhere else in it nginx's grammar has the word. */
export const snippet = `# ${markup}\n# ${rightToLeft}\n`

async function plantInConfiguration(ground: Ground, site: Site): Promise<void> {
  const change = { nginx_snippet: snippet, basic_auth: { user: 'guest', password: secretMarkup } }
  const path = `/api/sites/${site.id}/config`
  const { state, error } = await taskEnd(ground, await ground.send('PUT', path, change, 202))
  expect([state, error]).toEqual(['succeeded', null])
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** One prints the text, which is run; the other's command turns around. */
export const commands = {
  printing: `printf '%s' ${quoted(markup + rightToLeft)}`,
  turning: `: ${rightToLeft}`,
}

async function plantInCron({ lab, send }: Ground, site: Site): Promise<void> {
  const jobs = `/api/sites/${site.id}/cron`
  for (const command of Object.values(commands)) {
    const { id } = await send<CronJob>('POST', jobs, { schedule: '@yearly', command }, 201)
    await send('POST', `/api/cron/${id}/run`, {}, 200)
    const outcome = async () => {
      const { body } = await lab.panel.call<{ jobs: CronJob[] }>('GET', jobs)
      return body.jobs.find((job) => job.id === id)?.last_run?.outcome
    }
    const patience = { timeout: 60_000, interval: 200 }
    await vi.waitFor(async () => expect(await outcome()).toBe('succeeded'), patience)
  }
}

const publicKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)}`

async function plantInAccess({ send }: Ground, site: Site): Promise<void> {
  const path = `/api/sites/${site.id}`
  await send('POST', `${path}/sftp`, { enabled: true, password: secretMarkup }, 200)
  await send('POST', `${path}/ssh-keys`, { public_key: `${publicKey} ${markup}` }, 201)
}

/** A visit, a wrong name at the password prompt, and an error of the site's own PHP. */
async function plantInLogs({ lab: { reeve } }: Ground, site: Site): Promise<void> {
  const ask = (path: string, user: string) => {
    const authorization = `Basic ${Buffer.from(`${user}:${secretMarkup}`).toString('base64')}`
    const headers = { 'user-agent': userAgent, authorization }
    return visit(site.domain, { port: reeve.httpsPort, path, headers })
  }
  expect((await ask('/', markup)).status).toBe(401)
  const plugins = join(reeve.root, 'srv/sites', site.domain, 'current/wp-content/plugins')
  const text = Buffer.from(`${markup} ${rightToLeft}`).toString('base64')
  writeFileSync(join(plugins, 'fail.php'), `<?php error_log(base64_decode('${text}'));`)
  expect((await ask('/wp-content/plugins/fail.php', 'guest')).status).toBe(200)
}

/** The authority's own words, in an error, in a task's log and beside the certificate. */
async function plantInTasks(ground: Ground, site: Site): Promise<string> {
  const problem = { type: 'urn:ietf:params:acme:error:rejectedIdentifier', detail: markup + rightToLeft }
  ground.lab.authority.front.fail('/order-plz', { status: 403, problem })
  const path = `/api/sites/${site.id}/certificate`
  const { id, state, error } = await taskEnd(ground, await ground.send('POST', path, {}, 202))
  expect([state, error]).toEqual(['failed', expect.stringContaining(markup)])
  return id
}

/** As much as an address may hold of what means something elsewhere. */
export const quotedEmail = "o'neil+__proto__@example.com"

async function plantInAccounts({ send, sendAs }: Ground): Promise<void> {
  await send('POST', '/api/users', { ...people.readonly, role: 'readonly' }, 201)
  const person = { email: quotedEmail, password: secretMarkup }
  await send('POST', '/api/users', { ...person, role: 'readonly' }, 201)
  // Without a second factor a code is not looked at.
  const signedIn = await sendAs({}, '/api/login', { ...person, totp: shortMarkup })
  expect(signedIn.status).toBe(200)
  const cookie = signedIn.headers.getSetCookie().map((set) => set.split(';')[0])
  const change = { current_password: secretMarkup, new_password: `${secretMarkup} again` }
  const changed = await sendAs({ cookie: cookie.join('; ') }, '/api/account/password', change)
  expect(changed.status).toBe(204)
}

/** Sign-ins with hostile headers and names, and a refusal that quotes what it refuses. */
async function plantInAudit({ send, sendAs }: Ground, site: Site): Promise<void> {
  const headers = { 'user-agent': userAgent, 'x-forwarded-for': '<b>1.2.3.4</b>' }
  expect((await sendAs(headers, '/api/login', administrator)).status).toBe(200)
  for (const email of [`${markup}@example.com`, rightToLeft]) {
    const refused = await sendAs(headers, '/api/login', { email, password: secretMarkup })
    expect(refused.status).toBe(401)
  }
  await send('POST', `/api/sites/${site.id}/purge`, { urls: [rightToLeft] }, 422)
}

/** A vhost that somebody edited by hand. */
function plantInDrift({ lab: { reeve } }: Ground, site: Site): void {
  const vhost = join(reeve.root, 'etc/nginx/sites-enabled', `${site.domain}.conf`)
  writeFileSync(vhost, `${readFileSync(vhost, 'utf8')}# ${rightToLeft} by hand\n# ${markup}\n`)
}
