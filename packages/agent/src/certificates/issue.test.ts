import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Domain, SiteId } from '@reeve/contract/primitives.ts'
import { SiteSpec } from '@reeve/contract/sites.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentContext } from '../context.ts'
import { createKeyedLock } from '../keyed-lock.ts'
import { type Paths, pathsBelow } from '../paths.ts'
import { openRegistry, type Registry } from '../registry.ts'
import { certificateFacts } from './facts.ts'
import { issueCertificate } from './issue.ts'
import { usePair, writePair } from './pair.ts'
import { ensureSelfSigned } from './self-signed.ts'
import { readAcmeSettings } from './settings.ts'
import { writeState } from './state.ts'
import { createAuthority } from './testing/certificates.ts'
import { makeFolder } from '../testing/folder.ts'

const id = SiteId.parse('saaaaaaaaaaaaaaa')
const names = ['one.example.com', 'www.one.example.com'].map((name) => Domain.parse(name))
let paths: Paths
let registry: Registry
beforeEach(async () => {
  paths = pathsBelow(makeFolder('issue'))
  for (const folder of [dirname(paths.registry), paths.acmeChallenges]) mkdirSync(folder, { recursive: true })
  registry = openRegistry(paths.registry)
  registry.reserveSite(spec, () => false)
  await ensureSelfSigned(paths.siteTls(id), names)
})
afterEach(() => registry.close())

const spec = SiteSpec.parse({
  id,
  domain: names[0],
  aliases: names.slice(1),
  type: 'static',
  profile: 'balanced',
  title: 'One',
  admin_email: null,
  admin_user: null,
  object_cache: false,
  php_version: null,
  php_workers: null,
  proxy_upstream: null,
  cache: { enabled: true, ttl_s: 600 },
})

/** What issuing looks at before it asks anybody; an authority that nobody can reach. */
function issue(site = id, panel = 'panel.example.com', task: string | null = null) {
  const config = {
    panel: { domain: panel, port: 5252, proxySecret: '' },
    acme: readAcmeSettings({ REEVE_ACME_DIRECTORY: 'https://127.0.0.1:9/', REEVE_DNS_SERVER: '127.0.0.1:9' }),
  }
  const context = { config, paths, registry, siteLock: createKeyedLock() }
  return issueCertificate(context as unknown as AgentContext, site, { step: () => {}, log: () => {} }, task)
}

describe('a certificate is not ordered', () => {
  it('for a site that the server does not have', async () => {
    await expect(issue(SiteId.parse('sbbbbbbbbbbbbbbb'))).rejects.toMatchObject({ code: 'not_found' })
  })

  it.each(names)("for the panel's own name, here %s", async (name) => {
    await expect(issue(id, name)).rejects.toThrow(`${name} is the panel's own name`)
  })

  it('for a site that is not whole', async () => {
    paths = pathsBelow(makeFolder('issue'))
    await expect(issue()).rejects.toThrow(/not set up completely/)
  })

  it('before the time that the authority named, and says what it said then', async () => {
    const later = new Date(Date.now() + 60_000).toISOString()
    const directory = 'https://127.0.0.1:9/'
    const last_error = 'ca.example says: "too many".'
    writeState(paths, id, { not_before: later, limited_by: directory, last_error })
    await expect(issue()).rejects.toThrow(`before ${later}. ca.example says: "too many".`)
    // Another authority said it: this one is asked, as far as it gets here.
    writeState(paths, id, { limited_by: 'https://another.example/' })
    await expect(issue()).rejects.toThrow(/name servers/)
  })

  it('twice for one task', async () => {
    const { certificate, key } = createAuthority().issue(names)
    usePair(paths.siteTls(id), writePair(paths.siteTls(id), certificate, key))
    writeState(paths, id, { done_for: 'taaaaaaaaaaaaaaa' })
    expect(await issue(id, undefined, 'taaaaaaaaaaaaaaa')).toEqual(certificateFacts(paths, id))
    // Another task does order one, as far as it gets here.
    await expect(issue(id, undefined, 'tbbbbbbbbbbbbbbb')).rejects.toThrow(/name servers/)
  })
})

it('remembers why it did not work, and when the timer tries again', async () => {
  await expect(issue()).rejects.toThrow(/name servers/)
  expect(certificateFacts(paths, id)).toMatchObject({
    issuer: 'self-signed',
    names,
    last_error: expect.stringMatching(/name servers of one\.example\.com could not be asked/),
  })
})
