// The one place that runs a program: an absolute path from this table, an argument array, no shell, a fixed
// environment, a deadline that ends the whole process group, capped output, secrets by standard input only.
import { spawn } from 'node:child_process'
import { AppError } from '@reeve/contract/errors.ts'
import type { PhpVersion } from '@reeve/contract/primitives.ts'

const programs = {
  bwrap: '/usr/bin/bwrap',
  chpasswd: '/usr/sbin/chpasswd',
  cp: '/usr/bin/cp',
  dd: '/usr/bin/dd',
  gpasswd: '/usr/bin/gpasswd',
  groupadd: '/usr/sbin/groupadd',
  groupdel: '/usr/sbin/groupdel',
  journalctl: '/usr/bin/journalctl',
  logrotate: '/usr/sbin/logrotate',
  mariadb: '/usr/bin/mariadb',
  'mariadb-dump': '/usr/bin/mariadb-dump',
  'mariadb-install-db': '/usr/bin/mariadb-install-db',
  nginx: '/usr/sbin/nginx',
  nft: '/usr/sbin/nft',
  nice: '/usr/bin/nice',
  openssl: '/usr/bin/openssl',
  php: '/usr/bin/php',
  'redis-cli': '/usr/bin/redis-cli',
  rm: '/usr/bin/rm',
  setfacl: '/usr/bin/setfacl',
  setpriv: '/usr/bin/setpriv',
  'ssh-keygen': '/usr/bin/ssh-keygen',
  sshd: '/usr/sbin/sshd',
  stat: '/usr/bin/stat',
  sync: '/usr/bin/sync',
  systemctl: '/usr/bin/systemctl',
  tar: '/usr/bin/tar',
  timedatectl: '/usr/bin/timedatectl',
  ufw: '/usr/sbin/ufw',
  unzip: '/usr/bin/unzip',
  useradd: '/usr/sbin/useradd',
  userdel: '/usr/sbin/userdel',
} as const satisfies Record<string, `/${string}`>

/** `php8.2` is that version's own command line; `php` is whichever the host prefers. */
export type Program = keyof typeof programs | PhpProgram | FpmProgram
export type PhpProgram = `php${number}.${number}`
export type FpmProgram = `php-fpm${number}.${number}`

export function phpProgram(version: PhpVersion): PhpProgram {
  return `php${version}` as PhpProgram // PhpVersion is two numbers around a dot
}

export function fpmProgram(version: PhpVersion): FpmProgram {
  return `php-fpm${version}` as FpmProgram // as above
}

export function programPath(program: Program): string {
  if (isListed(program)) return programs[program]
  return program.startsWith('php-fpm') ? `/usr/sbin/${program}` : `/usr/bin/${program}`
}

const isListed = (program: Program): program is keyof typeof programs => Object.hasOwn(programs, program)

export interface CommandOptions {
  timeoutMs: number
  /** Written to standard input; the only way a secret may reach a program. */
  input?: string | Uint8Array
  /** Added to the fixed environment. Never a secret: other users can read it under some kernels. */
  env?: Readonly<Record<string, string>>
  cwd?: string
  signal?: AbortSignal
  /** Standard output and standard error each; more ends the program. Default 16 MiB. */
  maxOutputBytes?: number
  /** Exit codes that are answers, not failures. Default [0]. */
  accept?: readonly number[]
  /** Is given both streams as they come; then neither is collected, and no amount of output ends the program. */
  onOutput?: (chunk: Buffer) => void
}

export interface CommandResult {
  code: number
  stdout: string
  stderr: string
}

/** Marks our children, so that a restarted agent finds what its predecessor left running. */
export const commandMarker = 'REEVE_COMMAND_OF'

export function run(
  program: Program,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const { promise, resolve, reject } = Promise.withResolvers<CommandResult>()
  const child = spawn(programPath(program), args, {
    cwd: options.cwd ?? '/',
    detached: true, // its own process group, so that a deadline reaches grandchildren too
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      LANG: 'C.UTF-8',
      LC_ALL: 'C.UTF-8',
      HOME: '/nonexistent',
      [commandMarker]: process.env['REEVE_ROOT'] ?? '/',
      ...options.env,
    },
  })
  const endGroup = () => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The group is gone already.
    }
  }
  const fail = (message: string) => {
    endGroup()
    reject(new AppError('internal', `${program}: ${message}`))
  }

  const timer = setTimeout(
    () => fail(`still running after ${options.timeoutMs} ms, ended.`),
    options.timeoutMs,
  )
  const onAbort = () => fail('ended because the operation was cancelled.')
  options.signal?.addEventListener('abort', onAbort, { once: true })

  const limit = options.maxOutputBytes ?? 16 * 1024 * 1024
  const read = (stream: NodeJS.ReadableStream, overflow: string) =>
    options.onOutput ? forward(stream, options.onOutput) : collect(stream, limit, () => fail(overflow))
  const stdout = read(child.stdout, `printed more than ${limit} bytes.`)
  const stderr = read(child.stderr, `printed more than ${limit} bytes of errors.`)

  child.once('error', (error) => fail(`could not be started: ${error.message}`))
  child.once('close', (code, signal) => {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', onAbort)
    const result = { code: code ?? -1, stdout: stdout(), stderr: stderr() }
    if (code !== null && (options.accept ?? [0]).includes(code)) resolve(result)
    else reject(commandFailed(program, result, signal))
  })
  child.stdin.on('error', () => {
    // A program that does not read its input closes the pipe; its exit code tells the rest.
  })
  child.stdin.end(options.input ?? '')
  return promise
}

function forward(stream: NodeJS.ReadableStream, take: (chunk: Buffer) => void): () => string {
  stream.on('data', take)
  return () => ''
}

function collect(stream: NodeJS.ReadableStream, limit: number, overflow: () => void): () => string {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > limit) overflow()
    else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks).toString('utf8')
}

function commandFailed(program: Program, result: CommandResult, signal: NodeJS.Signals | null): AppError {
  const how = signal ? `ended by ${signal}` : `exit code ${result.code}`
  const why = (result.stderr.trim() || result.stdout.trim()).slice(-2000)
  return new AppError('internal', `${program} failed (${how})${why ? `: ${why}` : '.'}`, {}, result)
}
