// SFTP of sites with OpenSSH's own client: inside the jail works, what is outside is refused.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lchownSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Site } from '@reeve/contract/sites.ts'
import type { SftpState } from '@reeve/contract/access.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { processesOf, type Reeve, startReeve } from '../src/reeve.ts'
import { createSshClient, type Credentials, freePort, type SshClient } from '../src/sftp.ts'
import { findTraces } from '../src/slate.ts'
import { visit } from '../src/visitor.ts'
import { sftpAlone } from '../suites/sftp.ts'

let reeve: Reeve
let panel: Panel
let client: SshClient
let port: number
let blog: Site
let other: Site
let byPassword: Credentials
const failpoint = join(tmpdir(), `reeve-sftp-failpoint-${process.pid}`)

beforeAll(async () => {
  port = await freePort()
  reeve = await startReeve({
    env: { REEVE_SFTP_PORT: String(port), REEVE_FAILPOINT_FILE: failpoint },
  })
  panel = await reeve.panel()
  client = createSshClient(port)
  blog = await panel.createSite({ ...wordpressFields, domain: 'sftp-blog.example.com', title: 'A blog' })
  other = await panel.createSite({ domain: 'sftp-other.example.com', type: 'php' })
}, 240_000)

afterAll(async () => {
  const { root } = reeve
  await reeve[Symbol.asyncDispose]()
  client[Symbol.dispose]()
  expect(processesOf(root)).toEqual([])
}, 120_000)

type Made = SftpState & { password: string | null }
const turn = async (site: Site, body: object) =>
  (await panel.call<Made>('POST', `/api/sites/${site.id}/sftp`, body)).body
const answers = () =>
  new Promise<boolean>((done) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => done(true)).once('error', () => done(false))
    socket.once('connect', () => socket.destroy())
  })
const userOf = (site: Site) => site.system_user ?? ''
const home = (site: Site) => join(reeve.root, 'srv/sites', site.domain)
const local = (name: string) => join(client.folder, name)

it('listens nowhere before a site has it', async () => {
  expect(await answers()).toBe(false)
  expect((await panel.call('GET', `/api/sites/${blog.id}/sftp`)).body).toMatchObject({
    ...{ enabled: false, has_password: false, port, user: userOf(blog) },
  })
})

it('shows its password once, and keeps a hash of it', async () => {
  const made = await turn(blog, { enabled: true })
  expect(made).toMatchObject({ enabled: true, has_password: true, port, user: userOf(blog) })
  expect(made.password).toMatch(/^[A-Za-z0-9_-]{24}$/)
  byPassword = { user: made.user, password: made.password ?? '' }
  expect((await panel.call('GET', `/api/sites/${blog.id}/sftp`)).body).not.toHaveProperty('password')
  const stored = readFileSync(join(reeve.root, 'var/lib/reeve/state.db')).toString('latin1')
  expect(stored).not.toContain(made.password)
  expect(reeve.output()).not.toContain(made.password)
})

describe('inside', () => {
  it('files are sent, fetched, renamed and removed where the site is its own, and are served', async () => {
    writeFileSync(local('hello.txt'), 'hello from a laptop\n', { mode: 0o644 })
    const { code, output } = await client.sftp(byPassword, [
      'cd current/wp-content',
      `put ${local('hello.txt')} a.txt`,
      'rename a.txt b.txt',
      'mkdir sent',
      'rename b.txt sent/c.txt',
      `get sent/c.txt ${local('fetched.txt')}`,
      'rm sent/c.txt',
      'rmdir sent',
      'cd /current/wp-content/uploads',
      `put ${local('hello.txt')} hello.txt`,
    ])
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(readFileSync(local('fetched.txt'), 'utf8')).toBe('hello from a laptop\n')
    const sent = statSync(join(home(blog), 'shared/uploads/hello.txt'))
    expect([sent.uid, sent.mode & 0o777]).toEqual([20_000 + Number(userOf(blog).split('-')[1]), 0o644])
    const page = await visit(blog.domain, { port: reeve.httpsPort, path: '/wp-content/uploads/hello.txt' })
    expect([page.status, page.text]).toEqual([200, 'hello from a laptop\n'])
  })

  it('what is root’s is not replaced, whatever is asked', async () => {
    const attempts = [
      ...[`put ${local('hello.txt')} /x.txt`, `put ${local('hello.txt')} /shared/wp-config.php`],
      ...[
        'rm /current',
        'rename /current /old',
        'rename /shared /old',
        `put ${local('hello.txt')} /current/index.php`,
      ],
      ...[
        'rm /shared/wp-config.php',
        'mkdir /releases/mine',
        'chmod 777 /shared',
        'symlink / /current/wp-admin/x',
      ],
    ]
    for (const command of attempts) {
      expect([command, (await client.sftp(byPassword, [command])).code]).toEqual([command, 1])
    }
  })

  it('a key signs in as well, and is written anew without what stood beside it', async () => {
    const key = client.makeKey('laptop')
    const line = client.publicKeyOf(key)
    const added = await panel.call<{ fingerprint: string }>('POST', `/api/sites/${blog.id}/ssh-keys`, {
      public_key: line,
    })
    expect(added.status).toBe(201)
    const printed = execFileSync('/usr/bin/ssh-keygen', ['-l', '-f', `${key}.pub`], { encoding: 'utf8' })
    const fingerprint = /SHA256:(\S+)/.exec(printed)?.[1]?.replaceAll('+', '-').replaceAll('/', '_')
    expect(added.body).toMatchObject({ fingerprint, type: 'ssh-ed25519', comment: 'laptop@laptop' })
    const file = join(reeve.root, 'etc/reeve/ssh-keys', userOf(blog))
    expect(readFileSync(file, 'utf8')).toBe(`${line.split(' ').slice(0, 2).join(' ')}\n`)
    expect(statSync(file)).toMatchObject({ uid: 0 })
    expect((await client.sftp({ user: userOf(blog), key }, ['ls /current'])).output).toContain('wp-content')
    const again = await panel.call('POST', `/api/sites/${blog.id}/ssh-keys`, { public_key: line })
    expect(again.status).toBe(409)
    const option = await panel.call('POST', `/api/sites/${blog.id}/ssh-keys`, {
      public_key: `command="sh" ${line}`,
    })
    expect(option.status).toBe(400)
  })
})

describe('outside', () => {
  it.each(['/etc/passwd', '../../../../../../etc/passwd', '/proc/self/environ', '/dev/zero', '/root'])(
    '%s cannot be fetched',
    async (path) => {
      const { code } = await client.sftp(byPassword, [`get ${path} ${local('stolen')}`])
      expect(code).toBe(1)
      expect(existsSync(local('stolen'))).toBe(false)
    },
  )

  it('a link that the site’s own code planted leads nowhere', async () => {
    const content = join(home(blog), 'current/wp-content')
    const { uid, gid } = statSync(content)
    for (const [name, target] of [
      ['passwd', '/etc/passwd'],
      ['up', '../../../../../../../etc/passwd'],
      ['other', join(home(other), 'current/index.php')],
      ['registry', join(reeve.root, 'var/lib/reeve-agent/registry.db')],
    ] as const) {
      symlinkSync(target, join(content, name))
      lchownSync(join(content, name), uid, gid)
      const { code } = await client.sftp(byPassword, [`get /current/wp-content/${name} ${local('stolen')}`])
      expect([name, code, existsSync(local('stolen'))]).toEqual([name, 1, false])
    }
  })

  it('nobody else signs in: another site, root, a wrong password, another key', async () => {
    const stranger = client.makeKey('stranger')
    const refused: Credentials[] = [
      { user: userOf(other), password: byPassword.password ?? '' },
      { user: userOf(other), key: join(client.folder, 'laptop') },
      { user: 'root', password: byPassword.password ?? '' },
      { user: 'root', key: join(client.folder, 'laptop') },
      { user: userOf(blog), password: 'not the password' },
      { user: userOf(blog), key: stranger },
      { user: 'nobody', password: '' },
    ]
    for (const credentials of refused) {
      const { code, output } = await client.sftp(credentials, ['pwd'])
      expect([credentials.user, code]).toEqual([credentials.user, 255])
      expect(output).toMatch(/Permission denied|Too many authentication failures/)
    }
  })

  it('the old copy protocol sends nothing', async () => {
    const key = { user: userOf(blog), key: join(client.folder, 'laptop') }
    const { code } = await client.scp(key, ['-O'], local('hello.txt'), '/current/wp-content/scp.txt')
    expect(code).not.toBe(0)
    expect(existsSync(join(home(blog), 'current/wp-content/scp.txt'))).toBe(false)
  })
})

sftpAlone(() => reeve)

it('locks the account and listens nowhere once it is turned off everywhere', async () => {
  expect(await turn(blog, { enabled: false })).toMatchObject({ enabled: false, has_password: false })
  expect(await answers()).toBe(false)
  expect(readFileSync('/etc/shadow', 'utf8')).toMatch(new RegExp(`^${userOf(blog)}:!:`, 'm'))
})

describe('a failure', () => {
  it('of the agent on the way leaves nothing open that is not shown, and can be repeated', async () => {
    writeFileSync(failpoint, 'access.apply.keys:after:kill')
    const key = client.makeKey('crash')
    await panel.call('POST', `/api/sites/${other.id}/ssh-keys`, { public_key: client.publicKeyOf(key) })
    const cut = await panel.call('POST', `/api/sites/${other.id}/sftp`, { enabled: true, password: null })
    expect(cut.status).toBe(502)
    await expect
      .poll(() => panel.call('GET', `/api/sites/${other.id}/sftp`).then(({ status }) => status), {
        timeout: 60_000,
      })
      .toBe(200)
    expect((await panel.call('GET', `/api/sites/${other.id}/sftp`)).body).toMatchObject({ enabled: true })
    expect(await turn(other, { enabled: true, password: null })).toMatchObject({
      enabled: true,
      has_password: false,
    })
    const credentials = { user: userOf(other), key }
    const { code } = await client.sftp(credentials, [`put ${local('hello.txt')} /current/hello.txt`])
    expect(code).toBe(0)
    expect(existsSync(join(home(other), 'current/hello.txt'))).toBe(true)
  })

  it('of the SFTP server to start is told, and nothing is turned on', async () => {
    await turn(other, { enabled: false })
    const occupant = createServer().listen(port)
    await once(occupant, 'listening')
    const answer = await panel.call<{ error: string }>('POST', `/api/sites/${other.id}/sftp`, {
      enabled: true,
    })
    expect(answer.status).toBe(500)
    expect(answer.body.error).toContain('sshd did not start; its own words are in')
    expect((await panel.call('GET', `/api/sites/${other.id}/sftp`)).body).toMatchObject({ enabled: false })
    expect(readFileSync('/etc/group', 'utf8')).not.toMatch(
      new RegExp(`^reeve-sftp:.*\\b${userOf(other)}\\b`, 'm'),
    )
    occupant.close()
  })
})

it('goes with the site, without a trace', async () => {
  await turn(blog, { enabled: true })
  for (const site of [blog, other]) {
    expect((await panel.deleteSite(site.id)).state).toBe('succeeded')
    const { domain, id, system_user: systemUser } = site
    expect(findTraces(reeve.root, { domain, id, systemUser })).toEqual([])
  }
  expect(await answers()).toBe(false)
})
