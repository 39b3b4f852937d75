import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Matrix, runProbes } from '../src/isolation/matrix.ts'
import {
  callScript,
  clearPlanted,
  fetchFrom,
  installScripts,
  plant,
  type Planted,
  type Tenant,
  tenantOf,
} from '../src/isolation/tenant.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { sql } from '../src/slate.ts'
import { visit } from '../src/visitor.ts'

interface Party {
  tenant: Tenant
  planted: Planted
}

let reeve: Reeve
let panel: Panel
let attacker: Tenant
let victim: Tenant
let plain: Tenant

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
  const wordpress = { ...wordpressFields, object_cache: true }
  const [a, b, c] = await Promise.all([
    panel.createSite({ ...wordpress, domain: 'attacker.example.com' }),
    panel.createSite({ ...wordpress, domain: 'victim.example.com' }),
    panel.createSite({ domain: 'plain.example.com', type: 'php', object_cache: true }),
  ])
  attacker = tenantOf(reeve, a)
  victim = tenantOf(reeve, b)
  plain = tenantOf(reeve, c)
  for (const tenant of [attacker, victim, plain]) {
    installScripts(tenant)
    // A cached page and a compiled script, so that the page cache and the opcode cache hold something of the site.
    expect((await visit(tenant.domain, { port: reeve.httpsPort })).status).toBe(200)
    expect((await fetchFrom(reeve, tenant, 'returns.php')).status).toBe(200)
  }
}, 180_000)

afterAll(async () => {
  clearPlanted([attacker, victim, plain])
  await reeve[Symbol.asyncDispose]()
}, 60_000)

async function attack(from: Tenant, to: Tenant): Promise<{ matrix: Matrix; heard: number }> {
  // The names that `site\_<n>` without its backslash would open as well.
  const lookalikeDatabase = from.database.name.replace('_', 'x')
  sql(
    reeve.root,
    `CREATE DATABASE IF NOT EXISTS ${lookalikeDatabase}; CREATE TABLE IF NOT EXISTS ${lookalikeDatabase}.planted SELECT 1 AS a`,
  )
  const [own, other]: Party[] = await Promise.all(
    [from, to].map(async (tenant) => ({ tenant, planted: await plant(reeve, tenant) })),
  )
  using _held = new DisposableStack()
  for (const { planted } of [own!, other!]) _held.use(planted)
  const blindEmail = `blind-${from.user}@example.com`
  const matrix = await runProbes(reeve, own!, other!, { blindEmail, lookalikeDatabase })
  return { matrix, heard: await heardFrom(blindEmail) }
}

/** How often the panel acted on a request in this name. */
async function heardFrom(actor: string): Promise<number> {
  await new Promise((done) => setTimeout(done, 500))
  const { body } = await panel.call<{ entries: unknown[] }>('GET', `/api/audit?limit=200&actor=${actor}`)
  return body.entries.length
}

/** The request of probes.d/services.php: sent, and hung up without waiting for an answer. */
async function signInBlindly(email: string): Promise<void> {
  const body = JSON.stringify({ email, password: 'x' })
  const host = `127.0.0.1:${reeve.port}`
  const head = [
    'POST /api/login HTTP/1.1',
    `Host: ${host}`,
    `Origin: http://${host}`,
    'Content-Type: application/json',
  ]
  const socket = connect(reeve.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.end(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  await once(socket, 'close')
}

const named = (probes: Matrix['probes']) => probes.map(({ name, detail }) => `${name} → ${detail}`)

describe.each([
  ['WordPress', () => attacker],
  ['plain PHP', () => plain],
])('code in a site of %s, without open_basedir', (_type, from) => {
  it('reaches nothing of another site or the panel', { timeout: 240_000 }, async () => {
    const { matrix, heard } = await attack(from(), victim)
    const { probes } = matrix
    expect(matrix.open_basedir).toBe('')
    expect(matrix.uid).toBe(from().uid)
    const controlled = probes.filter(({ control }) => control !== null)
    console.log(`${probes.length} probes, ${controlled.length} of them with a control that succeeds`)
    expect(named(probes.filter(({ reached }) => reached))).toEqual([])
    expect(controlled.filter(({ control }) => !control?.reached)).toEqual([])
    expect(new Set(probes.map(({ name }) => name)).size).toBe(probes.length)
    expect(probes.length).toBeGreaterThanOrEqual(200)
    expect(controlled.length).toBeGreaterThanOrEqual(45)
    expect(heard).toBe(0)
    const control = `control-${from().user}@example.com`
    await signInBlindly(control)
    expect(await heardFrom(control)).toBe(1)
  })
})

describe('links in a site', () => {
  const link = (name: string, to: string, ...options: string[]) =>
    execFileSync('/bin/ln', [...options, '--force', '--', to, join(attacker.code.dir, name)], {
      uid: attacker.uid,
      gid: attacker.uid,
      stdio: 'pipe',
    })

  it('are served to its own files and to nobody else’s', async () => {
    const secret = 'shared/uploads/planted.txt'
    link('own.txt', join(attacker.home, secret), '--symbolic')
    expect((await fetchFrom(reeve, attacker, 'own.txt')).text).toContain(attacker.user)

    const targets: Record<string, string> = {
      'upload.txt': join(victim.home, secret),
      'log.txt': join(reeve.root, `var/log/reeve/${victim.domain}/access.log`),
      'passwd.txt': '/etc/passwd',
      'code.txt': join(victim.code.dir, 'returns.php'),
      'run.php': join(victim.code.dir, 'returns.php'),
      'vhost.txt': join(reeve.root, `etc/nginx/sites-enabled/${victim.domain}.conf`),
      'error.txt': join(reeve.root, 'var/log/nginx/error.log'),
    }
    const answers = await Promise.all(
      Object.entries(targets).map(async ([name, target]) => {
        link(name, target, '--symbolic')
        const { status } = await fetchFrom(reeve, attacker, name)
        return [name, status] as const
      }),
    )
    expect(answers.filter(([, status]) => status !== 403 && status !== 404)).toEqual([])
    link('tree', victim.home, '--symbolic', '--no-target-directory')
    expect([403, 404]).toContain((await fetchFrom(reeve, attacker, `tree/${secret}`)).status)
  })

  it('cannot be hard ones to a file of another owner', () => {
    expect(() => link('hard.txt', '/etc/shadow')).toThrow(/denied|not permitted/)
    expect(() => link('hard.txt', join(victim.home, 'shared/uploads/planted.txt'))).toThrow(/denied/)
    link('hard.txt', join(attacker.home, 'shared/uploads/planted.txt'))
  })
})

describe('a deleted site', () => {
  it('leaves nothing in the temporary folders for the next one with its number', async () => {
    const folder = join(reeve.root, 'var/lib/reeve-php/tmp')
    const left = () => readdirSync(folder).filter((name) => statSync(join(folder, name)).uid === plain.uid)
    await callScript(reeve, plain, 'plant.php', { home: plain.home, mark: plain.user, key: plain.uid })
    expect(left()).toEqual([`planted-${plain.user}`])
    expect((await panel.deleteSite(plain.id)).state).toBe('succeeded')
    expect(left()).toEqual([])
  })
})
