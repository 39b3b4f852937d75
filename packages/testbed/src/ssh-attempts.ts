// What SSH can do beside transferring files, tried with OpenSSH's own client. `ssh/attempts.test.ts` shows that each
// attempt succeeds where the server does not forbid it.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Credentials, freePort, type SshClient } from './sftp.ts'

/** What is on the server's side of an attempt. */
export interface Target {
  /** Where something of the server speaks HTTP. */
  port: number
  /** A Unix socket where something answers. */
  socket: string
}

interface Attempt {
  options: readonly string[]
  command?: string
  /** What is typed. */
  input?: string
  /** A port of this machine that ssh opens, and what is said there. */
  through?: { port: number; hello: string }
  /** What shows that the server did it. */
  reached: RegExp
  /** What the server or the client says of its refusal. */
  refused: RegExp
}

const hello = 'GET /healthz HTTP/1.0\r\n\r\n'
const isPrinted = { command: 'echo reached $((6*7))', reached: /reached 42/ }
const isAnswered = { reached: /HTTP\/1\./, refused: /administratively prohibited/ }
const forwarding = ['-v', '-N', '-o', 'ExitOnForwardFailure=yes']
const isForwarded = { reached: /all expected forwarding replies received/ }
const onlySftp = /This service allows sftp connections only/
const nowhere = '127.0.0.1:1'

export const attempts = {
  'a command': () => ({ ...isPrinted, options: [], refused: onlySftp }),
  'a shell': () => ({
    options: ['-T'],
    input: 'echo reached $((6*7))\nexit\n',
    reached: isPrinted.reached,
    refused: onlySftp,
  }),
  'a terminal': () => ({ ...isPrinted, options: ['-tt'], refused: /PTY allocation request failed/ }),
  'another subsystem': () => ({
    options: ['-s'],
    command: 'other',
    reached: isPrinted.reached,
    refused: /subsystem request failed/,
  }),
  'a port of the server, straight (-W)': ({ port }) => ({
    ...isAnswered,
    options: ['-W', `127.0.0.1:${port}`],
    input: hello,
  }),
  'a port of the server (-L)': async ({ port }) => {
    const entrance = await freePort()
    return {
      ...isAnswered,
      options: ['-N', '-L', `${entrance}:127.0.0.1:${port}`],
      through: { port: entrance, hello },
    }
  },
  // The server has the same words for one that is not there.
  'a socket of the server (-L)': async ({ socket }) => {
    const entrance = await freePort()
    return {
      options: ['-N', '-L', `${entrance}:${socket}`],
      through: { port: entrance, hello },
      reached: /HTTP\/1\.|MariaDB/,
      refused: /connect failed: open failed/,
    }
  },
  'any port of the server (-D)': async ({ port }) => {
    const entrance = await freePort()
    return {
      ...isAnswered,
      options: ['-N', '-D', String(entrance)],
      through: { port: entrance, hello: socksTo(port) + hello },
    }
  },
  'a port of the client (-R)': () => ({
    ...isForwarded,
    options: [...forwarding, '-R', `0:${nowhere}`],
    refused: /Server has disabled port forwarding[^]*remote port forwarding failed/,
  }),
  'a socket that leads to the client (-R)': (_target, folder) => ({
    ...isForwarded,
    options: [...forwarding, '-R', `${join(folder, 'back')}:${nowhere}`],
    refused: /Server has disabled streamlocal forwarding[^]*remote port forwarding failed/,
  }),
  'a tunnel (-w)': () => ({
    ...isForwarded,
    options: [...forwarding, '-w', 'any:any'],
    refused: /Server has rejected tunnel device forwarding/,
  }),
  'a tunnel for Ethernet (-w)': () => ({
    ...isForwarded,
    options: [...forwarding, '-o', 'Tunnel=ethernet', '-w', 'any:any'],
    refused: /Server has rejected tunnel device forwarding/,
  }),
  'windows of the client (-Y)': () => ({
    options: ['-Y'],
    command: 'echo reached $DISPLAY',
    reached: /reached localhost:\d+/,
    refused: /X11 forwarding request failed/,
  }),
} as const satisfies Readonly<Record<string, (target: Target, folder: string) => Attempt | Promise<Attempt>>>

export type AttemptName = keyof typeof attempts
export const attemptNames = Object.keys(attempts) as AttemptName[] // its own keys, nothing else

const patienceMs = 60_000

/** All that was heard until the server had done it or refused it. */
export async function attempt(
  client: SshClient,
  credentials: Credentials,
  { options, command, input, through, reached, refused }: Attempt,
): Promise<string> {
  const session = client.hold(credentials, options, command)
  const heard = listenTo(session)
  try {
    if (input !== undefined) session.stdin.write(input)
    if (through) heard.add(await throughEntrance(through))
    await heard.until((text) => reached.test(text) || refused.test(text))
    return heard.text()
  } finally {
    await end(session)
  }
}

interface Heard {
  text(): string
  add(text: string): void
  /** Throws when the client ends without it, or says nothing of the kind. */
  until(isIt: (text: string) => boolean): Promise<void>
}

function listenTo(session: ChildProcessWithoutNullStreams): Heard {
  let text = ''
  let hasEnded = false
  for (const stream of [session.stdout, session.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  session.once('close', () => (hasEnded = true))
  session.stdin.on('error', () => {
    // A client that was refused does not read what is typed.
  })
  return {
    text: () => text,
    add: (more) => (text += more),
    async until(isIt) {
      for (const deadline = Date.now() + patienceMs; !isIt(text); await pause()) {
        if (hasEnded && !isIt(text)) throw new Error(`ssh ended without a word of it:\n${text}`)
        if (Date.now() > deadline) throw new Error(`ssh says neither in ${patienceMs} ms:\n${text}`)
      }
    },
  }
}

async function end(session: ChildProcessWithoutNullStreams): Promise<void> {
  if (session.exitCode !== null || session.signalCode !== null) return
  const closed = once(session, 'close')
  session.kill('SIGKILL')
  await closed
}

const pause = () => new Promise((done) => setTimeout(done, 50))

/** A greeting without a password and a request to connect (RFC 1928). */
function socksTo(target: number): string {
  const greeting = [5, 1, 0]
  const request = [5, 1, 0, 1, 127, 0, 0, 1, target >> 8, target & 255]
  return String.fromCharCode(...greeting, ...request)
}

/** What comes back through a port of this machine until it is closed. */
async function throughEntrance({ port, hello: said }: { port: number; hello: string }): Promise<string> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const answer = await new Promise<string | undefined>((done) => {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
      socket.once('connect', () => socket.write(said, 'latin1'))
      socket.once('error', () => done(text || undefined))
      socket.once('close', () => done(text))
    })
    if (answer !== undefined) return answer
    if (Date.now() > deadline) throw new Error(`ssh does not listen on ${port}`)
    await pause()
  }
}

/** An agent of the client's, for the server to ask for signatures. */
export async function startAgent(folder: string): Promise<Disposable & { socket: string }> {
  const socket = join(folder, 'agent')
  const agent = spawn('/usr/bin/ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' })
  for (const deadline = Date.now() + patienceMs; !existsSync(socket); await pause())
    if (Date.now() > deadline) throw new Error('ssh-agent did not start')
  return { socket, [Symbol.dispose]: () => void agent.kill('SIGKILL') }
}

/** SSH_FXP_INIT of version 3, and how the answer to it begins (draft-ietf-secsh-filexfer-02, section 4). */
const sftpInit = '\0\0\0\u0005\u0001\0\0\0\u0003'
const sftpVersion = '\u0002\0\0\0\u0003'

/**
 * Asks for the client's agent, its windows and a port, then for SFTP, and answers what `look` sees once that is served.
 * A server does not answer whether it gave the agent; it then listens on a socket for it.
 */
export async function askForAll<T>(
  client: SshClient,
  credentials: Credentials,
  agentSocket: string,
  look: () => T,
): Promise<{ said: string; seen: T }> {
  const options = ['-v', '-A', '-Y', '-R', `0:${nowhere}`, '-o', `IdentityAgent=${agentSocket}`, '-s']
  const session = client.hold(credentials, options, 'sftp')
  const heard = listenTo(session)
  try {
    session.stdin.write(sftpInit)
    await heard.until((text) => text.includes(sftpVersion))
    return { said: heard.text(), seen: look() }
  } finally {
    await end(session)
  }
}

/** Where these processes listen: addresses as the kernel writes them, paths of Unix sockets. */
export function listeningSockets(pids: readonly number[]): string[] {
  return pids.flatMap((pid) => {
    const held = new Set(
      readdirSync(`/proc/${pid}/fd`).map(
        (descriptor) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1],
      ),
    )
    const rows = (name: string) =>
      readFileSync(`/proc/${pid}/net/${name}`, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
    const tcp = ['tcp', 'tcp6'].flatMap((name) =>
      rows(name).flatMap(([, at = '', , state, , , , , , inode]) =>
        state === '0A' && held.has(inode) ? [at] : [],
      ),
    )
    const unix = rows('unix').flatMap(([, , , flags, , , inode, path = '']) =>
      flags === '00010000' && held.has(inode) ? [path] : [],
    )
    return [...tcp, ...unix]
  })
}
