// Secrets at rest and in passing: after a day's work of the panel none of them stands in a file that is not made
// for it, in an argument that other users can read, or in anything that was printed.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPanel, type Panel, wordpressFields } from '../src/panel.ts'
import { administrator, type Reeve, startReeve } from '../src/reeve.ts'
import { totp } from '../src/totp.ts'

const operator = { email: 'operator@example.com', password: 'operator-password-7f3a' }
const cmsPassword = 'cms-password-91bc-unlike-any'

let reeve: Reeve
let panel: Panel
const secrets: Record<string, string> = {}
const seenArguments = new Set<string>()
let watcher: NodeJS.Timeout

beforeAll(async () => {
  watcher = setInterval(readArguments, 2)
  reeve = await startReeve()
  const token = readFileSync(join(reeve.root, 'var/lib/reeve/setup-token'), 'utf8').trim()
  panel = await reeve.panel()
  const site = await panel.createSite({
    ...wordpressFields,
    admin_password: cmsPassword,
    domain: 'secret.example.com',
    object_cache: true,
  })
  await panel.call('POST', '/api/users', { ...operator, role: 'operator', site_ids: [site.id] })
  const other = await openPanel({ port: reeve.port, root: reeve.root, ...operator })
  const begun = await other.call<{ secret: string }>('POST', '/api/account/2fa/begin')
  const code = totp(begun.body.secret)
  const confirmed = await other.call<{ recovery_codes: string[] }>('POST', '/api/account/2fa/confirm', {
    code,
  })
  expect(confirmed.status).toBe(200)
  await other.call('POST', '/api/login', { email: operator.email, password: 'wrong-password-55aa' })
  Object.assign(secrets, {
    'setup token': token,
    'administrator password': administrator.password,
    'operator password': operator.password,
    'wrong password': 'wrong-password-55aa',
    'CMS password': cmsPassword,
    'administrator session': panel.cookie.split('=')[1],
    'operator session': other.cookie.split('=')[1],
    'TOTP seed': begun.body.secret,
    ...Object.fromEntries(confirmed.body.recovery_codes.map((value, at) => [`recovery code ${at}`, value])),
  })
}, 120_000)

afterAll(async () => {
  clearInterval(watcher)
  await reeve[Symbol.asyncDispose]()
})

/** Arguments of whatever runs just now, as any user of the host could read them. */
function readArguments(): void {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      seenArguments.add(readFileSync(`/proc/${name}/cmdline`, 'latin1'))
    } catch {
      // It has just ended.
    }
  }
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return filesBelow(path)
    return entry.isFile() ? [path] : []
  })
}

/** Names of the secrets that stand in the text. */
const secretsIn = (text: string): string[] =>
  Object.entries(secrets)
    .filter(([, value]) => text.includes(value))
    .map(([name]) => name)

it('no file below the root holds one', () => {
  const files = filesBelow(reeve.root).filter((path) => !path.includes('/usr/'))
  const found = files.flatMap((path) =>
    secretsIn(readFileSync(path, 'latin1')).map((name) => `${name} in ${path}`),
  )
  expect(found).toEqual([])
  expect(files.length).toBeGreaterThan(200)
})

it('no argument of a process held one, nor a password of the services', () => {
  const registry = readFileSync(join(reeve.root, 'srv/sites/secret.example.com/shared/wp-config.php'), 'utf8')
  const generated = [
    ...registry.matchAll(/define\( '(DB_PASSWORD|REEVE_\w+|\w+_KEY|\w+_SALT)', '([^']{20,})' \);/g),
  ]
  expect(generated.length).toBeGreaterThan(9)
  for (const [, name = '', value = ''] of generated) secrets[name] = value
  secrets['object-cache administration'] = readFileSync(
    join(reeve.root, 'var/lib/reeve-agent/redis-password'),
    'utf8',
  ).trim()
  expect(secretsIn([...seenArguments].join('\n')).filter((name) => name !== 'REEVE_REDIS_SOCKET')).toEqual([])
  expect([...seenArguments].some((text) => text.includes('/usr/bin/mariadb\0'))).toBe(true)
})

it('nothing printed holds one, but the setup token that is printed to be used', () => {
  expect(secretsIn(reeve.output()).filter((name) => name !== 'setup token')).toEqual([])
})

it('no answer about tasks, users, sessions or the audit log holds one', async () => {
  const paths = ['/api/tasks', '/api/users', '/api/account/sessions', '/api/audit', '/api/sites', '/api/me']
  const { body } = await panel.call<{ tasks: { id: string }[] }>('GET', '/api/tasks')
  for (const path of [...paths, ...body.tasks.map(({ id }) => `/api/tasks/${id}`)]) {
    const answer = await panel.call('GET', path)
    expect(answer.status).toBe(200)
    expect(secretsIn(JSON.stringify(answer.body))).toEqual([])
  }
})
