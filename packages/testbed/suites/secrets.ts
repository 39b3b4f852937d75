// Secrets at rest and in passing: after a day's work of the panel none of them stands in a file that is not made
// for it, in an argument that other users can read, or in anything that was printed.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { administrator, type Host } from '../src/host.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { totp } from '../src/totp.ts'
import type { ArgumentsWatch } from '../src/watch-arguments.ts'

const operator = { email: 'operator@example.com', password: 'operator-password-7f3a' }
const cmsPassword = 'cms-password-91bc-unlike-any'
const wrongPassword = 'wrong-password-55aa'

export function secrets(hostOf: () => Host, watchOf: () => ArgumentsWatch): void {
  describe('secrets', () => {
    let host: Host
    let panel: Panel
    let site: Site
    let account: string
    const known: Record<string, string> = {}

    beforeAll(async () => {
      host = hostOf()
      const token = join(host.root, 'var/lib/reeve/setup-token')
      if (existsSync(token)) known['setup token'] = readFileSync(token, 'utf8').trim()
      panel = await host.panel()
      const fields = { ...wordpressFields, admin_password: cmsPassword, object_cache: true }
      site = await panel.createSite({ ...fields, domain: 'secret.example.com' })
      const person = { ...operator, role: 'operator', site_ids: [site.id] }
      account = (await panel.call<{ id: string }>('POST', '/api/users', person)).body.id
      Object.assign(known, await useAccount(host), {
        'administrator password': administrator.password,
        'administrator session': panel.cookie.split('=')[1],
        'CMS password': cmsPassword,
      })
    }, 120_000)

    afterAll(async () => {
      expect((await panel.call('DELETE', `/api/users/${account}`)).status).toBe(204)
      expect((await panel.deleteSite(site.id)).error).toBeNull()
    }, 60_000)

    /** Names of the secrets that stand in the text. */
    const secretsIn = (text: string): string[] =>
      Object.entries(known)
        .filter(([, value]) => text.includes(value))
        .map(([name]) => name)

    it('are in no file of the server', () => {
      const files = filesBelow(host.root, notOurs)
      const found = files.flatMap((path) => secretsIn(contentOf(path)).map((name) => `${name} in ${path}`))
      expect(found).toEqual([])
      expect(files.length).toBeGreaterThan(200)
    })

    it('are in no argument of a process, nor are passwords of the services', () => {
      const config = readFileSync(join(host.root, `srv/sites/${site.domain}/shared/wp-config.php`), 'utf8')
      const generated = [
        ...config.matchAll(/define\( '(DB_PASSWORD|REEVE_\w+|\w+_KEY|\w+_SALT)', '([^']{20,})' \);/g),
      ]
      expect(generated.length).toBeGreaterThan(9)
      for (const [, name = '', value = ''] of generated) known[name] = value
      const redisPassword = join(host.root, 'var/lib/reeve-agent/redis-password')
      known['object-cache administration'] = readFileSync(redisPassword, 'utf8').trim()
      const watch = watchOf()
      // What follows starts nothing, and watching is work.
      watch[Symbol.dispose]()
      const { seen } = watch
      expect(secretsIn([...seen].join('\n')).filter((name) => name !== 'REEVE_REDIS_SOCKET')).toEqual([])
      expect([...seen].some((text) => text.includes('/usr/bin/mariadb\0'))).toBe(true)
    })

    it('are in nothing printed, but the setup token that is printed to be used', async () => {
      const printed = await host.printed()
      expect(printed).not.toBe('')
      expect(secretsIn(printed).filter((name) => name !== 'setup token')).toEqual([])
    })

    it('are in no answer about tasks, users, sessions or the audit log', async () => {
      const paths = [
        '/api/tasks',
        '/api/users',
        '/api/account/sessions',
        '/api/audit',
        '/api/sites',
        '/api/me',
      ]
      const { body } = await panel.call<{ tasks: { id: string }[] }>('GET', '/api/tasks')
      for (const path of [...paths, ...body.tasks.map(({ id }) => `/api/tasks/${id}`)]) {
        const answer = await panel.call('GET', path)
        expect(answer.status).toBe(200)
        expect(secretsIn(JSON.stringify(answer.body))).toEqual([])
      }
    })
  })
}

/** What the operator types and is shown, from the first sign-in to the second factor. */
async function useAccount(host: Host): Promise<Record<string, string>> {
  const panel = await host.signIn(operator)
  const begun = await panel.call<{ secret: string }>('POST', '/api/account/2fa/begin')
  const code = totp(begun.body.secret)
  const confirmed = await panel.call<{ recovery_codes: string[] }>('POST', '/api/account/2fa/confirm', {
    code,
  })
  expect(confirmed.status).toBe(200)
  await panel.call('POST', '/api/login', { email: operator.email, password: wrongPassword })
  const session = panel.cookie.split('=')[1] ?? ''
  expect(session.length).toBeGreaterThan(20)
  return {
    'operator password': operator.password,
    'wrong password': wrongPassword,
    'operator session': session,
    'TOTP seed': begun.body.secret,
    ...Object.fromEntries(confirmed.body.recovery_codes.map((value, at) => [`recovery code ${at}`, value])),
  }
}

/** At the top of an installed server: what packages brought, the kernel's own, and what a test laid there to install. */
const notOurs = ['usr', 'proc', 'sys', 'dev', 'boot', 'root']

function filesBelow(directory: string, but: readonly string[] = []): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return but.includes(entry.name) ? [] : filesBelow(path)
    return entry.isFile() ? [path] : []
  })
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    if (existsSync(path)) throw error
    return '' // It has just gone.
  }
}
