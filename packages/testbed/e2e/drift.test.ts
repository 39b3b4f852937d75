// Files of the panel that somebody edits by hand: nothing overwrites them, a person decides, and sites are served.
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DriftItem } from '@reeve/contract/drift.ts'
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Failpoints, openFailpoints } from '../src/failpoints.ts'
import { tenantOf, writeAs } from '../src/isolation/tenant.ts'
import { callPatiently, type Panel } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { type Bystander, visit, watchSite } from '../src/visitor.ts'

let reeve: Reeve
let panel: Panel
let site: Site
let root: string
let failpoints: Failpoints
let watched: Bystander
const bystander = 'bystander.example.com'

const start = async (ports?: { panel: number; http: number; https: number }) => {
  reeve = await startReeve({ root, env: failpoints.env, ...(ports ? { ports } : {}) })
  panel = await reeve.panel()
}

beforeAll(async () => {
  failpoints = openFailpoints()
  root = mkdtempSync('/var/tmp/reeve-')
  await start()
  await panel.createSite({ domain: bystander, type: 'static' })
  site = await panel.createSite({ domain: 'edited.example.com', type: 'php' })
  watched = watchSite(bystander, reeve.https)
}, 180_000)

afterAll(async () => {
  // Their users are the host's.
  if (panel) {
    const { body } = await panel.call<{ sites: Site[] }>('GET', '/api/sites')
    for (const { id } of body.sites) await panel.deleteSite(id)
  }
  await reeve?.stop()
  failpoints[Symbol.dispose]()
  rmSync(root, { recursive: true, force: true })
}, 90_000)

const vhost = () => join(root, `etc/nginx/sites-enabled/${site.domain}.conf`)
const read = () => readFileSync(vhost(), 'utf8')
/** Puts a line into the server block that serves pages, as somebody with an editor would. */
const addHeader = (value: string) =>
  writeFileSync(
    vhost(),
    read().replace(/^  add_header X-Cache /m, `  add_header X-By-Hand ${value} always;\n$&`),
  )

const call = <Body>(...request: Parameters<Panel['call']>) => callPatiently<Body>(panel, ...request)

const items = async (): Promise<DriftItem[]> =>
  (await call<{ items: DriftItem[] }>('GET', '/api/system/drift')).body.items
async function item(path = vhost()): Promise<DriftItem> {
  const found = (await items()).find((one) => one.path === path)
  if (!found) throw new Error(`there is no drift item of ${path}`)
  return found
}
const resolve = (id: string, action: 'restore' | 'accept') =>
  call<{ error: string; code: string }>('POST', `/api/system/drift/${id}/resolve`, { action })
async function resolved(action: 'restore' | 'accept', path = vhost()): Promise<void> {
  const answer = await resolve((await item(path)).id, action)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  expect((await items()).map((one) => one.path)).not.toContain(path)
}

const change = (kind: 'config' | 'php', body: Record<string, unknown>) =>
  call<{ task: Task; error: string; drift: string }>('PUT', `/api/sites/${site.id}/${kind}`, body)
async function changed(kind: 'config' | 'php', body: Record<string, unknown>): Promise<void> {
  const answer = await change(kind, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(202)
  const task = await panel.taskEnd(answer.body.task.id)
  expect(task.state, `${task.error} ${task.log}`).toBe('succeeded')
}
const header = async (name: string) =>
  (await visit(site.domain, { port: reeve.httpsPort, path: '/?asked' })).headers[name]

/** Whatever an earlier test left. */
async function asRendered(): Promise<void> {
  appendFileSync(vhost(), '# a reason to restore\n')
  await resolved('restore')
}

describe('a vhost that was edited by hand', () => {
  beforeEach(asRendered)

  it('survives ten renders and a restart of the panel, and stops what would write over it', {
    timeout: 90_000,
  }, async () => {
    const ttl = { cache: { ttl_s: 600 } }
    await changed('config', ttl)
    addHeader('one')
    const edited = read()
    for (let round = 0; round < 10; round++) await changed('config', ttl)
    expect(read()).toBe(edited)
    const { id, kind, site_id, diff } = await item()
    expect([kind, site_id]).toEqual(['edited', site.id])
    expect(diff).toContain('\n+  add_header X-By-Hand one always;\n')

    const { port, httpPort, httpsPort } = reeve
    const { failures } = await watched.stop()
    expect(failures).toEqual([])
    await reeve.stop()
    await start({ panel: port, http: httpPort, https: httpsPort })
    watched = watchSite(bystander, reeve.https)
    expect(read()).toBe(edited)
    expect((await item()).id).toBe(id)

    const refused = await change('config', { hsts: true })
    expect([refused.status, refused.body.drift]).toEqual([409, id])
    expect(refused.body.error).toMatch(/changed by something else.*Restore or accept/)
    expect(read()).toBe(edited)
    // A change that is refused later undoes itself, and leaves the edit alone too.
    const php = await change('php', { upload_max_mb: 70 })
    expect(php.status).toBe(202)
    const task = await panel.taskEnd(php.body.task.id)
    expect([task.state, task.error]).toEqual(['failed', expect.stringContaining(id)])
    expect(read()).toBe(edited)
    expect((await panel.call<Site>('GET', `/api/sites/${site.id}`)).body.state).toBe('active')
  })

  it('is discarded by restoring it, and kept for whoever was too quick', async () => {
    addHeader('discarded')
    const edited = read()
    await resolved('restore')
    expect(read()).not.toContain('X-By-Hand')
    expect(await header('x-by-hand')).toBeUndefined()
    const bucket = join(root, 'var/lib/reeve-agent/drift')
    const kept = readdirSync(bucket).map((name) => readFileSync(join(bucket, name, 'content'), 'utf8'))
    expect(kept).toContain(edited)
    await changed('config', { hsts: true })
    await changed('config', { hsts: false })
  })

  it('is put in force by accepting it, and merged with every later change of other lines', async () => {
    addHeader('two')
    await resolved('accept')
    expect(await header('x-by-hand')).toBe('two')
    await changed('config', { redirects: [{ from: '/old', to: '/new' }] })
    expect(await header('x-by-hand')).toBe('two')
    expect((await visit(site.domain, { port: reeve.httpsPort, path: '/old' })).status).toBe(301)
    await changed('config', { redirects: [] })
    expect(await items()).toEqual([])
  })

  it('conflicts with a change of the very lines, which becomes a new item and changes nothing', async () => {
    await changed('php', { upload_max_mb: 64 })
    addHeader('three')
    writeFileSync(vhost(), read().replace('client_max_body_size 65m', 'client_max_body_size 500m'))
    await resolved('accept')
    const answer = await change('php', { upload_max_mb: 90 })
    const task = await panel.taskEnd(answer.body.task.id)
    const { id, kind } = await item()
    expect([task.state, task.error, kind]).toEqual(['failed', expect.stringContaining(id), 'conflict'])
    expect(read()).toContain('client_max_body_size 500m')
    const { php_limits: limits, state } = (await panel.call<Site>('GET', `/api/sites/${site.id}`)).body
    expect([limits.upload_max_mb, state]).toEqual([64, 'active'])
    // Accepted again, it stands against this change too.
    await resolved('accept')
    await changed('php', { upload_max_mb: 90 })
    expect(read()).toContain('client_max_body_size 500m')
    expect(await header('x-by-hand')).toBe('three')
    await asRendered()
    expect(read()).toContain('client_max_body_size 91m')
    expect(read()).not.toContain('X-By-Hand')
  })

  it('is not accepted when nginx refuses it, which says where; the sites are served on', async () => {
    appendFileSync(vhost(), 'no_such_directive on;\n')
    const line = read().split('\n').length - 1
    const { id } = await item()
    const answer = await resolve(id, 'accept')
    expect([answer.status, answer.body.code]).toEqual([422, 'refused'])
    expect(answer.body.error).toContain(`unknown directive "no_such_directive" in ${vhost()}:${line}`)
    expect((await item()).id).toBe(id)
    await resolved('restore')
  })
})

it('a pool that was edited by hand is tried by a PHP-FPM of its own before it is accepted', async () => {
  const tenant = tenantOf(reeve, site)
  writeAs(tenant, join(tenant.code.dir, 'by-hand.php'), "<?php echo getenv('BY_HAND') ?: 'nothing';")
  const seen = async () => (await visit(site.domain, { port: reeve.httpsPort, path: '/by-hand.php' })).text
  const pools = join(root, 'etc/php', site.php_version ?? '', 'fpm/pool.d')
  const pool = join(pools, `${site.system_user}.conf`)
  expect(await seen()).toBe('nothing')
  appendFileSync(pool, 'env[BY_HAND] = kept\n')
  await resolved('accept', pool)
  await expect.poll(seen, { timeout: 20_000 }).toBe('kept')
  await changed('php', { memory_limit_mb: 200 })
  await expect.poll(seen, { timeout: 20_000 }).toBe('kept')
  appendFileSync(pool, 'pm = nonsense\n')
  const refused = await resolve((await item(pool)).id, 'accept')
  expect([refused.status, refused.body.error]).toEqual([
    422,
    expect.stringContaining('invalid process manager'),
  ])
  await resolved('restore', pool)
  await expect.poll(seen, { timeout: 20_000 }).toBe('nothing')
})

describe('what counts as a difference', () => {
  beforeEach(asRendered)

  it('a file that is gone, a link in its place, and another mode; each is restored', async () => {
    const text = read()
    const cases: readonly (readonly [kind: string, () => void])[] = [
      ['missing', () => unlinkSync(vhost())],
      ['edited', () => chmodSync(vhost(), 0o666)],
      [
        'edited',
        () => {
          renameSync(vhost(), join(root, 'elsewhere'))
          symlinkSync(join(root, 'elsewhere'), vhost())
        },
      ],
    ]
    for (const [kind, spoil] of cases) {
      spoil()
      const { id, kind: found } = await item()
      expect(found).toBe(kind)
      expect((await resolve(id, 'accept')).status).toBe(422)
      await resolved('restore')
      expect([read(), statSync(vhost()).mode & 0o777]).toEqual([text, 0o640])
    }
  })

  it('also in the files of the server; the marker of a reload is none', async () => {
    const shared = join(root, 'etc/nginx/conf.d/reeve.conf')
    const generation = join(root, 'etc/nginx/conf.d/reeve-generation.conf')
    appendFileSync(shared, '# by hand\n')
    appendFileSync(generation, '# by hand\n')
    expect((await items()).map(({ path, kind }) => [path, kind])).toEqual([[shared, 'edited']])
    await resolved('restore', shared)
  })

  it('of a secret only that it differs is shown', async () => {
    await changed('config', { basic_auth: { user: 'editor', password: 'a good password' } })
    const path = join(root, 'etc/reeve/passwords', site.id)
    appendFileSync(path, 'intruder:$6$a$b\n')
    const { diff } = await item(path)
    expect(diff).toContain('not shown')
    for (const secret of ['$6$', 'intruder', 'editor:']) expect(diff).not.toContain(secret)
    await resolved('restore', path)
    await changed('config', { basic_auth: null })
  })

  it('what an earlier version of the panel wrote, until it is written anew', async () => {
    const text = read()
    const earlier = text.replace(/^ {2}gzip on;$/m, '  gzip off;')
    writeFileSync(vhost(), earlier)
    const registry = new DatabaseSync(join(root, 'var/lib/reeve-agent/registry.db'))
    const hash = createHash('sha256').update(earlier).digest('hex')
    const noted = 'UPDATE files SET sha256 = ?, bytes = ? WHERE path = ?'
    registry.prepare(noted).run(hash, earlier, vhost())
    registry.close()
    const { kind, diff } = await item()
    expect([kind, diff]).toEqual(['stale', expect.stringContaining('+  gzip off;')])
    await resolved('restore')
    expect(read()).toBe(text)
  })

  it('goes away by itself when somebody puts the file back', async () => {
    const text = read()
    addHeader('four')
    await item()
    writeFileSync(vhost(), text)
    expect(await items()).toEqual([])
  })
})

describe('an agent that is killed while an item is resolved', () => {
  const moments = ['before', 'mid', 'after'].flatMap((moment) =>
    (['restore', 'accept'] as const).map((action) => [action, moment] as const),
  )
  it.each(moments)(
    '%s, %s: leaves it open or resolved, and can be asked again',
    { timeout: 60_000 },
    async (action, moment) => {
      await asRendered()
      const before = read()
      addHeader(`${action}-${moment}`)
      const { id } = await item()
      const old = reeve.pid('agent')
      failpoints.arm(`drift.${action}:${moment}:kill`)
      const path = `/api/system/drift/${id}/resolve`
      const answered = async () => [(await panel.call('POST', path, { action })).status, failpoints.isArmed()]
      // A busy agent may answer too late to be asked at all.
      await expect.poll(answered, { timeout: 30_000 }).toEqual([502, false])
      await expect
        .poll(async () => (await call('GET', '/api/system/drift')).status, { timeout: 30_000 })
        .toBe(200)
      expect(reeve.pid('agent')).not.toBe(old)
      const open = (await items()).find((one) => one.path === vhost())
      if (open) {
        expect([open.id, open.kind]).toEqual([id, 'edited'])
        await resolved(action)
      }
      const wanted = action === 'accept' ? `${action}-${moment}` : undefined
      await expect.poll(() => header('x-by-hand'), { timeout: 20_000 }).toBe(wanted)
      if (action === 'restore') expect(read()).toBe(before)
      else {
        await asRendered()
        expect(await header('x-by-hand')).toBeUndefined()
      }
    },
  )
})

// Last: it watched all of this, but for the restart.
it('cost a bystander no request', async () => {
  const { requests, failures } = await watched.stop()
  expect(failures).toEqual([])
  expect(requests).toBeGreaterThan(50)
})
