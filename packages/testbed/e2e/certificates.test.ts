// Certificates from a real authority, Pebble, which refuses every second nonce here. The failures of the
// conversation itself are tried in packages/agent/src/certificates/authority.test.ts, all kills in
// campaigns/certificates.ts, renewals in certificate-renewal.test.ts.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type CertificateLab, openCertificateLab } from '../src/certificates.ts'
import { findTraces } from '../src/slate.ts'
import { plainRequest, visit } from '../src/visitor.ts'

let lab: CertificateLab
let site: Site

beforeAll(async () => {
  lab = await openCertificateLab({ nonceReject: 50 })
  site = await lab.createSite({ domain: 'one.example.com', type: 'static', aliases: ['www.one.example.com'] })
}, 120_000)
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
}, 60_000)
afterEach(async () => {
  lab.authority.front.heal()
  await lab.authority.port80.forwardTo(lab.reeve.httpPort)
  await lab.authority.lead([site.domain, ...site.aliases], '127.0.0.1')
})

const challengesLeft = () => readdirSync(join(lab.reeve.root, 'var/lib/reeve-acme'))

describe('a certificate', () => {
  it('is issued for every name of the site, and no handshake fails meanwhile', async () => {
    const before = await lab.seenBy(site.domain)
    expect(before.authority).toBe('Reeve self-signed')
    const { result: task, seen } = await lab.watched(site.domain, () => lab.issue(site.id))
    expect(task).toMatchObject({ state: 'succeeded', error: null })
    expect(task.steps.map(({ name, state }) => `${name} ${state}`)).toEqual(
      ['pre-flight', 'account', 'order', 'challenge', 'install', 'verify'].map((name) => `${name} succeeded`),
    )
    for (const name of [site.domain, ...site.aliases]) {
      const { authority, names, fingerprint } = await lab.seenBy(name)
      expect(authority).toMatch(/^Pebble Intermediate CA/)
      expect(names.sort()).toEqual([site.domain, ...site.aliases].sort())
      expect(seen).toEqual([before.fingerprint, fingerprint])
    }
    expect(challengesLeft()).toEqual([])
  })

  it('is what the panel shows, and nobody but root can read its key', async () => {
    const { certificate } = await lab.site(site.id)
    expect(certificate).toMatchObject({ issuer: 'acme', last_error: null })
    expect(certificate?.authority).toMatch(/^Pebble/)
    expect(certificate?.names.sort()).toEqual([site.domain, ...site.aliases].sort())
    expect(Date.parse(certificate?.renew_at ?? '')).toBeLessThan(Date.parse(certificate?.expires_at ?? ''))
    const key = join(lab.reeve.root, 'etc/reeve/tls', site.id, 'current/privkey.pem')
    expect(statSync(key).mode & 0o777).toBe(0o600)
    const acme = join(lab.reeve.root, 'var/lib/reeve-agent/acme')
    const files = ['sites', 'accounts'].flatMap((kind) =>
      readdirSync(join(acme, kind)).map((name) => join(acme, kind, name)),
    )
    expect(files).toHaveLength(2)
    for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('is issued without a word about keys', async () => {
    const accounts = join(lab.reeve.root, 'var/lib/reeve-agent/acme/accounts')
    const stored = readdirSync(accounts).map((name) => readFileSync(join(accounts, name), 'utf8'))
    const secrets = [
      ...stored.map((text) => (JSON.parse(text) as { key: string }).key),
      readFileSync(join(lab.reeve.root, 'etc/reeve/tls', site.id, 'current/privkey.pem'), 'utf8'),
    ].map((pem) => pem.split('\n')[1] ?? '')
    const { body: tasks } = await lab.panel.call<{ tasks: Task[] }>('GET', '/api/tasks')
    const logs = await Promise.all(tasks.tasks.map(async ({ id }) => (await lab.panel.taskEnd(id)).log))
    const said = [lab.reeve.output(), ...logs].join('\n')
    expect(said).toContain('certificate.issue')
    expect(said).not.toContain('PRIVATE KEY')
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(40)
      expect(said).not.toContain(secret)
    }
  })

  it('is issued behind a password and every redirect, also for a proxy whose upstream is down', async () => {
    const domain = lab.newName()
    const php = await lab.createSite({ domain, type: 'php', aliases: [`www.${domain}`] })
    const proxy = await lab.createSite({
      domain: lab.newName(),
      type: 'proxy',
      proxy_upstream: 'http://127.0.0.1:9',
    })
    const closed = {
      basic_auth: { user: 'friend', password: 'a long enough password' },
      https_redirect: true,
      hsts: true,
      redirects: [{ from: '/', to: 'https://elsewhere.example.net/', status: 301 }],
    }
    await lab.configure(php.id, { ...closed, www_redirect: 'to_www' })
    await lab.configure(proxy.id, closed)
    for (const { id, domain: name } of [php, proxy]) {
      expect((await plainRequest(lab.reeve.http, name, '/')).status).toBe(301)
      expect((await visit(name, { port: lab.reeve.https.port, path: '/in' })).status).toBeGreaterThan(300)
      expect(await lab.issue(id)).toMatchObject({ state: 'succeeded' })
      expect((await lab.seenBy(name)).authority).toMatch(/^Pebble/)
    }
  })

  it('stays when a name is added, and does not claim to be for it', async () => {
    const own = await lab.createSite({ domain: lab.newName(), type: 'static' })
    expect(await lab.issue(own.id)).toMatchObject({ state: 'succeeded' })
    const before = await lab.seenBy(own.domain)
    const added = `www.${own.domain}`
    await lab.authority.lead([added], '127.0.0.1')
    await lab.configure(own.id, { aliases: [added] })
    expect(await lab.seenBy(own.domain)).toEqual(before)
    expect((await lab.site(own.id)).certificate).toMatchObject({ issuer: 'acme', names: [own.domain] })
    expect(await lab.issue(own.id)).toMatchObject({ state: 'succeeded' })
    expect((await lab.seenBy(added)).names.sort()).toEqual([own.domain, added].sort())
  })

  it('is issued by an authority that no longer knows our account', async () => {
    const { requests } = lab.authority.front
    const before = requests.length
    const problem = { type: 'urn:ietf:params:acme:error:accountDoesNotExist', detail: 'who are you?' }
    lab.authority.front.fail('/order-plz', { status: 400, problem }, 1)
    expect(await lab.issue(site.id)).toMatchObject({ state: 'succeeded' })
    expect(requests.slice(before)).toContain('POST /sign-me-up')
  })
})

describe('a failure leaves the old certificate and says why', () => {
  /** What the person reads; the certificate in use and the number of orders must be the same afterwards. */
  const failing = async (id = site.id, domain = site.domain): Promise<string> => {
    const before = await lab.seenBy(domain)
    const { result: task, seen } = await lab.watched(domain, () => lab.issue(id))
    expect(task.state).toBe('failed')
    expect(seen).toEqual([before.fingerprint])
    const { certificate, state } = await lab.site(id)
    expect(state).toBe('active')
    expect(certificate?.last_error).toBeTruthy()
    expect(task.error).toContain(certificate?.last_error)
    expect(challengesLeft()).toEqual([])
    return task.error ?? ''
  }

  it.each([
    {
      what: 'a name that nobody knows',
      spoil: () => lab.authority.lead(site.aliases, null),
      message: /www\.one\.example\.com does not resolve: .* Point it to this server/,
    },
    {
      what: 'a name that leads elsewhere',
      spoil: () => lab.authority.lead(site.aliases, '127.0.0.9'),
      message: /www\.one\.example\.com leads to 127\.0\.0\.9, which is not this server/,
    },
    {
      what: 'a closed port 80',
      spoil: () => lab.authority.port80.close(),
      message: /Port \d+ of 127\.0\.0\.1, .*cannot be reached \(ECONNREFUSED\)\. Open it in the firewall/,
    },
    {
      what: 'another web server at port 80',
      spoil: () => lab.authority.port80.strange(404),
      message: /something else than this panel's web server answers \(status 404\)/,
    },
  ])('$what, without asking the authority', async ({ spoil, message }) => {
    const before = lab.orders()
    await spoil()
    expect(await failing()).toMatch(message)
    expect(lab.orders()).toBe(before)
  })

  it('a check that the authority does not see, in its own words', async () => {
    const held = lab.authority.front.hold('/chalZ/')
    void held.reached.then(async () => {
      await lab.authority.port80.close()
      held.release()
    })
    expect(await failing()).toMatch(
      /could not confirm (www\.)?one\.example\.com: ".*(refused|fetch|connect)/i,
    )
  })

  it('a limit: the authority is left alone until its time has come', async () => {
    const limited = await lab.createSite({ domain: lab.newName(), type: 'static' })
    const { front } = lab.authority
    const problem = { type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many certificates (5)' }
    front.fail('/order-plz', { status: 429, headers: { 'retry-after': '3600' }, problem })
    expect(await failing(limited.id, limited.domain)).toContain('says: "too many certificates (5)"')
    front.heal()
    const before = front.requests.length
    expect(await failing(limited.id, limited.domain)).toMatch(
      /does not want to be asked for site\d+\.example\.com before 2\d{3}-.*too many cert/,
    )
    expect(front.requests).toHaveLength(before)
  })

  it('a broken authority, after a bounded number of attempts', async () => {
    lab.authority.front.fail('/finalize-order/', { status: 500 })
    const before = lab.authority.front.requests.length
    expect(await failing()).toMatch(/answered 500 without a reason/)
    expect(lab.authority.front.requests.length - before).toBeLessThan(100)
  })

  it('and the next attempt goes on with the order of the failed one', async () => {
    const before = lab.orders()
    const task = await lab.issue(site.id)
    expect(task).toMatchObject({ state: 'succeeded' })
    expect(task.log).toContain('Going on with the order of an earlier attempt')
    expect(lab.orders()).toBe(before)
    expect((await lab.site(site.id)).certificate?.last_error).toBeNull()
  })
})

describe('killing the agent', () => {
  it.each(['challenge:mid', 'install:mid', 'install:after', 'verify:after'])(
    'at %s leaves a certificate that is served, and the task ends well',
    async (where) => {
      const before = await lab.seenBy(site.domain)
      lab.arm(`certificate.issue.${where}:kill`)
      const { result: task, seen } = await lab.watched(site.domain, () => lab.issue(site.id))
      expect(lab.hasFired()).toBe(true)
      expect(task).toMatchObject({ state: 'succeeded' })
      const after = await lab.seenBy(site.domain)
      expect(seen[0]).toBe(before.fingerprint)
      expect(seen.at(-1)).toBe(after.fingerprint)
      expect(after.fingerprint).not.toBe(before.fingerprint)
      const pairs = readdirSync(join(lab.reeve.root, 'etc/reeve/tls', site.id))
      expect(pairs).toHaveLength(2)
    },
  )
})

describe('deleting a site', () => {
  const gone = async ({ id, domain, system_user: systemUser }: Site) => {
    expect(await lab.panel.deleteSite(id)).toMatchObject({ state: 'succeeded' })
    expect(findTraces(lab.reeve.root, { domain, id, systemUser })).toEqual([])
  }

  it('revokes its certificate and leaves nothing of it', async () => {
    const { serial } = await lab.seenBy(site.domain)
    expect(await lab.authority.statusOf(serial)).toBe('Valid')
    await gone(site)
    expect(await lab.authority.statusOf(serial)).toBe('Revoked')
  })

  it('does not need the authority', async () => {
    const doomed = await lab.createSite({ domain: lab.newName(), type: 'static' })
    expect(await lab.issue(doomed.id)).toMatchObject({ state: 'succeeded' })
    lab.authority.front.fail('/dir', { status: 503, headers: { 'retry-after': '3600' } })
    await gone(doomed)
  })
})
