// SFTP of sites with OpenSSH's own client: inside the jail works, everything else is refused.
import { type ChildProcess, execFileSync } from 'node:child_process'
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
import {
  createSshClient,
  type Credentials,
  freePort,
  processTitles,
  socksTo,
  type SshClient,
  throughEntrance,
} from '../src/sftp.ts'
import { findTraces } from '../src/slate.ts'
import { visit } from '../src/visitor.ts'

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
})

describe('what else SSH can do is refused', () => {
  const key = () => ({ user: userOf(blog), key: join(client.folder, 'laptop') })

  it('a command and a shell', async () => {
    for (const options of [[], ['-tt']]) {
      const { output } = await client.ssh(key(), options, 'id; echo reached $((6*7))')
      expect(output).not.toMatch(/uid=|reached 42/)
    }
    const shell = await client.ssh(key(), ['-tt'])
    expect(shell.output).toContain('PTY allocation request failed')
  })

  it('the old copy protocol', async () => {
    expect(
      (await client.scp(key(), ['-O'], local('hello.txt'), '/current/wp-content/scp.txt')).code,
    ).not.toBe(0)
    expect(existsSync(join(home(blog), 'current/wp-content/scp.txt'))).toBe(false)
  })

  it('a way to a port of the server, straight and by -L and -D', async () => {
    const straight = await client.ssh(key(), ['-W', `127.0.0.1:${reeve.port}`])
    expect(straight.code).not.toBe(0)
    expect(straight.output).toContain('administratively prohibited')
    for (const forward of ['-L', '-D']) {
      const entrance = await freePort()
      const target = forward === '-L' ? `${entrance}:127.0.0.1:${reeve.port}` : String(entrance)
      const held = client.hold(key(), [forward, target])
      try {
        const hello = forward === '-L' ? 'GET /healthz HTTP/1.0\r\n\r\n' : socksTo(reeve.port)
        const answer = await throughEntrance(entrance, hello)
        expect(answer).not.toContain('HTTP/1.')
        // SOCKS version 5: the first two bytes take the greeting, the next two would be "05 00", connected.
        expect(answer.slice(2).startsWith('\u0005\u0000')).toBe(false)
      } finally {
        held.kill('SIGKILL')
      }
    }
  })

  it('a port of the server that leads to the client', async () => {
    const { code, output } = await client.ssh(key(), [
      ...['-N', '-o', 'ExitOnForwardFailure=yes', '-R', '0:127.0.0.1:1'],
    ])
    expect([code, output]).toEqual([255, expect.stringContaining('remote port forwarding failed')])
  })

  it('windows of the client', async () => {
    const { output } = await client.ssh(key(), ['-v', '-Y'], 'true')
    expect(output).toContain('X11 forwarding request failed')
  })
})

describe('an open session ends', () => {
  /** The server's processes that carry sessions of the user. */
  const sessionsOf = (user: string) =>
    processTitles().filter((title) => new RegExp(`^sshd(-session)?: ${user}[ @]`).test(title))
  const opened = async (credentials: Credentials) => {
    const session = client.open(credentials)
    let output = ''
    for (const stream of [session.stdout, session.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
      })
    }
    session.stdin.on('error', () => {})
    session.stdin.write('pwd\n')
    await expect.poll(() => output, { timeout: 30_000 }).toContain('Remote working directory')
    expect(sessionsOf(credentials.user).length).toBeGreaterThan(0)
    return session
  }
  /** The client learns it at its next request. */
  const expectEnded = async (session: ChildProcess, user: string) => {
    expect(sessionsOf(user)).toEqual([])
    const closed = once(session, 'close', { signal: AbortSignal.timeout(30_000) })
    session.stdin?.write('ls\n')
    await closed
  }

  it('when its key is removed, and the key is worth nothing any more', async () => {
    const credentials = { user: userOf(blog), key: join(client.folder, 'laptop') }
    const session = await opened(credentials)
    const { keys } = (
      await panel.call<{ keys: { fingerprint: string }[] }>('GET', `/api/sites/${blog.id}/ssh-keys`)
    ).body
    const removed = await panel.call('DELETE', `/api/sites/${blog.id}/ssh-keys/${keys[0]?.fingerprint}`)
    expect([keys.length, removed.status]).toEqual([1, 204])
    await expectEnded(session, credentials.user)
    expect((await client.sftp(credentials, ['pwd'])).code).toBe(255)
    expect((await client.sftp(byPassword, ['pwd'])).code).toBe(0)
  })

  it('when the password is replaced, and when it is turned off', async () => {
    const first = await opened(byPassword)
    const made = await turn(blog, { enabled: true, password: 'a password of my own' })
    expect(made.password).toBeNull()
    await expectEnded(first, userOf(blog))
    expect((await client.sftp(byPassword, ['pwd'])).code).toBe(255)
    const own = { user: userOf(blog), password: 'a password of my own' }
    const second = await opened(own)
    expect(await turn(blog, { enabled: false })).toMatchObject({ enabled: false, has_password: false })
    await expectEnded(second, userOf(blog))
    expect(await answers()).toBe(false)
    expect(readFileSync('/etc/shadow', 'utf8')).toMatch(new RegExp(`^${userOf(blog)}:!:`, 'm'))
  })
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
