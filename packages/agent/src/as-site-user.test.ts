import { chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Domain } from '@reeve/contract/primitives.ts'
import { expect, it } from 'vitest'
import { runAsSite, type SiteUser } from './as-site-user.ts'
import { makeFolder } from './testing/folder.ts'

const uid = 59_990 // the end of the range of site users; no account needs to exist for a uid

function makeSite(): SiteUser {
  const home = makeFolder('as-site', '/var/tmp')
  chownSync(home, uid, uid)
  return { domain: Domain.parse('a.example.com'), user: 'site-39990', uid, gid: uid, home }
}

const php = (site: SiteUser, code: string) =>
  runAsSite(site, 'php', ['-r', `echo json_encode(${code});`], { timeoutMs: 15_000 }).then(
    ({ stdout }): unknown => JSON.parse(stdout),
  )

it('runs as the site without groups, capabilities or the chance to gain privileges', async () => {
  const status = await php(makeSite(), 'file_get_contents("/proc/self/status")')
  expect(status).toMatch(new RegExp(`Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}\\n`))
  expect(status).toMatch(new RegExp(`Gid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}\\n`))
  expect(status).toMatch(/Groups:\t ?\n/)
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
    expect(status).toContain(`${set}:\t0000000000000000`)
  expect(status).toContain('NoNewPrivs:\t1')
})

it('sees its own site, and neither another one nor the rest of the host', async () => {
  const site = makeSite()
  const other = makeSite()
  writeFileSync(join(other.home, 'world-readable'), 'secret', { mode: 0o644 })
  const seen = await php(
    site,
    `[is_dir("${site.home}"), @file_get_contents("${other.home}/world-readable"), is_dir("/root"), is_dir("/home"), @scandir("/var/tmp"), count(glob("/proc/[0-9]*"))]`,
  )
  expect(seen).toEqual([
    true,
    false,
    false,
    false,
    ['.', '..', site.home.split('/').at(-1)],
    expect.any(Number),
  ])
  expect((seen as unknown[])[5]).toBeLessThan(4) // its own processes alone
})

it('has no network', async () => {
  const interfaces = await php(makeSite(), 'array_keys(net_get_interfaces())')
  expect(interfaces).toEqual(['lo'])
})

it('cannot write where its user cannot, whatever it links to', async () => {
  const site = makeSite()
  const outside = makeFolder('outside', '/var/tmp')
  writeFileSync(join(outside, 'victim'), 'before', { mode: 0o666 })
  const wrote = await php(
    site,
    `[symlink("${outside}/victim", "${site.home}/link"), @file_put_contents("${site.home}/link", "after")]`,
  )
  expect(wrote).toEqual([true, false])
  expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('before')
})

it('makes files that belong to the site', async () => {
  const site = makeSite()
  mkdirSync(join(site.home, 'd'))
  chownSync(join(site.home, 'd'), uid, uid)
  await php(site, `file_put_contents("${site.home}/d/f", "x")`)
  expect(statSync(join(site.home, 'd/f')).uid).toBe(uid)
})
