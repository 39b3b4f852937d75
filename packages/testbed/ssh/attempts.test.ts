// The attempts that a site's SFTP must refuse do reach something where the server allows everything.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createSshClient, type Credentials, freePort, sessionsOf, type SshClient } from '../src/sftp.ts'
import {
  askForAll,
  attempt,
  attemptNames,
  attempts,
  listeningSockets,
  startAgent,
} from '../src/ssh-attempts.ts'

const folder = mkdtempSync('/var/tmp/reeve-ssh-server-')
const socket = join(folder, 'target')
let sshd: ChildProcess
let client: SshClient
let credentials: Credentials
const targets: Server[] = []
let port: number

beforeAll(async () => {
  const sshPort = await freePort()
  client = createSshClient(sshPort)
  credentials = { user: 'root', key: client.makeKey('root') }
  mkdirSync('/run/sshd', { recursive: true })
  execFileSync('/usr/bin/ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'host')])
  writeFileSync(join(folder, 'config'), generous(sshPort, `${credentials.key}.pub`))
  sshd = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', join(folder, 'config')], { stdio: 'ignore' })
  for (const at of [{ path: socket }, { port: 0, host: '127.0.0.1' }]) {
    const target = createServer((_request, response) => response.end('reached')).listen(at)
    await once(target, 'listening')
    targets.push(target)
    const address = target.address()
    if (address !== null && typeof address === 'object') port = address.port
  }
  await vi.waitFor(() => reach(sshPort), { timeout: 30_000 })
}, 60_000)

afterAll(async () => {
  const ended = once(sshd, 'exit')
  sshd.kill()
  await ended
  for (const target of targets) target.close()
  client[Symbol.dispose]()
  rmSync(folder, { recursive: true })
}, 60_000)

const generous = (sshPort: number, keys: string) => `Port ${sshPort}
ListenAddress 127.0.0.1
HostKey ${join(folder, 'host')}
PidFile none
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
AuthorizedKeysFile ${keys}
PermitTunnel yes
X11Forwarding yes
XAuthLocation /bin/true
Subsystem sftp internal-sftp
Subsystem other /bin/echo reached 42
`

async function reach(at: number): Promise<void> {
  const probe = connect(at, '127.0.0.1')
  await once(probe, 'connect')
  probe.destroy()
}

it.each(attemptNames)(
  '%s',
  async (name) => {
    const made = await attempts[name]({ port, socket }, folder)
    const said = await attempt(client, credentials, made)
    expect(said).toMatch(made.reached)
    expect(said).not.toMatch(made.refused)
  },
  90_000,
)

it("the client's agent, windows and ports", async () => {
  using agent = await startAgent(client.folder)
  const before = sessionsOf('root')
  const { said, seen } = await askForAll(client, credentials, agent.socket, () =>
    listeningSockets(sessionsOf('root').filter((pid) => !before.includes(pid))),
  )
  const allocated = /Allocated port (\d+)/.exec(said)?.[1]
  const hexadecimal = Number(allocated).toString(16).toUpperCase().padStart(4, '0')
  expect(seen).toContain(`0100007F:${hexadecimal}`)
  expect(seen.filter((at) => /^0100007F:17[7-9A-F]/.test(at))).not.toEqual([]) // 6000 and more: X11
  expect(seen.filter((at) => at.includes('agent'))).not.toEqual([])
}, 90_000)
