// OpenSSH's own client against a site's SFTP: by password or key, and for what is refused.
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

export interface Credentials {
  user: string
  password?: string
  /** Path of a private key. */
  key?: string
}

export interface Outcome {
  code: number | null
  /** Both streams. */
  output: string
}

export interface SshClient extends Disposable {
  /** A folder of its own for files to send and get. */
  folder: string
  /** Makes a key; answers the path of its private half. */
  makeKey(name: string): string
  publicKeyOf(path: string): string
  /** Runs the commands, one a line; a failing one ends the batch with an exit code unless it begins with `-`. */
  sftp(credentials: Credentials, commands: readonly string[]): Promise<Outcome>
  ssh(credentials: Credentials, options: readonly string[], command?: string): Promise<Outcome>
  scp(credentials: Credentials, options: readonly string[], from: string, to: string): Promise<Outcome>
  /** A session that stays open. */
  open(credentials: Credentials): ChildProcessWithoutNullStreams
  /** Starts ssh and leaves it running. */
  hold(credentials: Credentials, options: readonly string[], command?: string): ChildProcessWithoutNullStreams
}

const patienceMs = 60_000

export function createSshClient(port: number, address = '127.0.0.1'): SshClient {
  const folder = mkdtempSync('/var/tmp/reeve-ssh-client-')
  const askpass = join(folder, 'askpass')
  writeFileSync(askpass, '#!/bin/sh\nprintf "%s\\n" "$REEVE_TEST_PASSWORD"\n', { mode: 0o700 })
  const common = ({ key, password }: Credentials) => [
    ...['-F', 'none', '-o', 'BatchMode=no', '-o', `UserKnownHostsFile=${folder}/known_hosts`],
    ...[
      '-o',
      'StrictHostKeyChecking=accept-new',
      '-o',
      'NumberOfPasswordPrompts=1',
      '-o',
      'ConnectTimeout=20',
    ],
    ...['-o', 'IdentityAgent=none', '-o', 'IdentitiesOnly=yes', '-o', `IdentityFile=${key ?? 'none'}`],
    ...[
      '-o',
      `PubkeyAuthentication=${key ? 'yes' : 'no'}`,
      '-o',
      `PasswordAuthentication=${password ? 'yes' : 'no'}`,
    ],
    ...['-o', 'KbdInteractiveAuthentication=no'],
  ]
  const start = (program: string, args: readonly string[], credentials: Credentials) =>
    spawn(`/usr/bin/${program}`, args, {
      stdio: 'pipe',
      detached: true,
      env: {
        ...{ PATH: '/usr/bin:/bin', HOME: folder, DISPLAY: ':99', SSH_ASKPASS: askpass },
        ...{ SSH_ASKPASS_REQUIRE: 'force', REEVE_TEST_PASSWORD: credentials.password ?? '' },
      },
    })
  const at = (user: string) => `${user}@${address}`
  const ssh = (credentials: Credentials, options: readonly string[], command?: string) => {
    // The first value of an option counts.
    const args = [...options, ...common(credentials), '-p', String(port), at(credentials.user)]
    return start('ssh', command === undefined ? args : [...args, command], credentials)
  }
  return {
    folder,
    makeKey(name) {
      const path = join(folder, name)
      execFileSync('/usr/bin/ssh-keygen', [
        '-q',
        '-t',
        'ed25519',
        '-N',
        '',
        '-C',
        `${name}@laptop`,
        '-f',
        path,
      ])
      return path
    },
    publicKeyOf: (path) => readFileSync(`${path}.pub`, 'utf8'),
    sftp(credentials, commands) {
      const args = [...common(credentials), '-P', String(port), '-b', '-', at(credentials.user)]
      return outcome(start('sftp', args, credentials), `${commands.join('\n')}\n`)
    },
    ssh: (credentials, options, command) => outcome(ssh(credentials, options, command), ''),
    scp(credentials, options, from, to) {
      const target = `${at(credentials.user)}:${to}`
      const args = [...common(credentials), '-P', String(port), ...options, from, target]
      return outcome(start('scp', args, credentials), '')
    },
    open: (credentials) =>
      start('sftp', [...common(credentials), '-P', String(port), at(credentials.user)], credentials),
    hold: ssh,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}

function outcome(child: ChildProcessWithoutNullStreams, input: string): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  const timer = setTimeout(() => {
    child.kill('SIGKILL')
    reject(new Error(`the SSH client did not end in ${patienceMs} ms: ${output}`))
  }, patienceMs)
  child.once('error', reject)
  child.once('close', (code) => {
    clearTimeout(timer)
    resolve({ code, output })
  })
  child.stdin.on('error', () => {
    // A client that was refused does not read what it was to do.
  })
  child.stdin.end(input)
  return promise
}

/** Below the range that the kernel gives to outgoing connections. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000)
    const isFree = await new Promise<boolean>((done) => {
      const server = createServer()
      server.once('error', () => done(false))
      server.listen(port, '0.0.0.0', () => server.close(() => done(true)))
    })
    if (isFree) return port
  }
}

/** The server's processes that carry sessions of the user; those of a throw-away server are this machine's too. */
export function sessionsOf(user: string): number[] {
  const title = new RegExp(`^sshd(-session)?: ${user}[ @]`)
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && title.test(readIfThere(`/proc/${pid}/cmdline`)))
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // The process has just ended.
  }
}
