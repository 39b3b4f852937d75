// What the embedded run is asked to do, and everything that would stop it, found before anything is started.
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, isAbsolute, join, resolve } from 'node:path'

export interface Settings {
  root: string
  /** Present when the wanted root cannot be used and `root` is its replacement. */
  replacedRoot?: { wanted: string; closed: string }
  panelPort: number
  httpPort: number
  httpsPort: number
  /** REEVE_… variables that are handed to both processes unchanged. */
  passed: Readonly<Record<string, string>>
}

/** Longest path below the root that is a Unix socket; the kernel holds 107 bytes (unix(7)). */
const longestSocket = 'run/php/site-59999.sock'
const socketPathBytes = 107

export async function readSettings(
  env: NodeJS.ProcessEnv,
): Promise<{ settings: Settings; problems: string[] }> {
  const problems: string[] = []
  const port = (name: string, fallback: number) => {
    const text = env[name] || String(fallback)
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= 1 && value <= 65_535) return value
    problems.push(`${name} must be a port between 1 and 65535, not "${text}".`)
    return fallback
  }
  const wanted = resolve(env['REEVE_ROOT'] || '.reeve')
  const closed = await closedDirectory(wanted)
  const root = closed === undefined ? wanted : replacementRoot(wanted)
  const settings: Settings = {
    root,
    ...(closed === undefined ? {} : { replacedRoot: { wanted, closed } }),
    panelPort: port('REEVE_PORT', 5252),
    httpPort: port('REEVE_HTTP_PORT', 8080),
    httpsPort: port('REEVE_HTTPS_PORT', 8443),
    passed: passedVariables(env),
  }
  problems.push(...rootProblems(root), ...duplicatePorts(settings))
  if (process.getuid?.() !== 0) {
    problems.push('Root is needed, for real system users and isolation between sites: run "sudo npm start".')
  }
  return { settings, problems }
}

/** The first directory on the way to `path` that other users, so also the API and nginx, cannot pass. */
async function closedDirectory(path: string): Promise<string | undefined> {
  const parent = dirname(path)
  const above = parent === path ? undefined : await closedDirectory(parent)
  if (above !== undefined) return above
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && (found.mode & 0o001) === 0 ? path : undefined
}

function replacementRoot(wanted: string): string {
  return `/var/lib/reeve-embedded-${createHash('sha256').update(wanted).digest('hex').slice(0, 8)}`
}

function rootProblems(root: string): string[] {
  const problems: string[] = []
  if (!isAbsolute(root) || root === '/') {
    problems.push('REEVE_ROOT must not be "/": the embedded run keeps to a directory of its own.')
  }
  // The path stands in nginx, PHP-FPM, MariaDB and Redis configuration; each quotes in its own way.
  if (!/^[A-Za-z0-9/._-]+$/.test(root)) {
    problems.push(`REEVE_ROOT may only hold letters, digits and "/", ".", "_", "-": "${root}" does not.`)
  }
  const excess = Buffer.byteLength(join(root, longestSocket)) - socketPathBytes
  if (excess > 0) {
    problems.push(
      `REEVE_ROOT is ${excess} bytes too long for the sockets below it; choose a shorter directory than "${root}".`,
    )
  }
  return problems
}

function duplicatePorts({ panelPort, httpPort, httpsPort }: Settings): string[] {
  if (new Set([panelPort, httpPort, httpsPort]).size === 3) return []
  return [
    `REEVE_PORT, REEVE_HTTP_PORT and REEVE_HTTPS_PORT must differ: ${panelPort}, ${httpPort}, ${httpsPort}.`,
  ]
}

function passedVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[0].startsWith('REEVE_') && entry[1] !== undefined,
  )
  return Object.fromEntries(entries)
}

/** One sentence for each port that something else holds. */
export async function busyPorts(settings: Settings): Promise<string[]> {
  const wanted = [
    { name: 'REEVE_PORT', what: 'the panel', host: '127.0.0.1', port: settings.panelPort },
    { name: 'REEVE_HTTP_PORT', what: 'the sites', host: '0.0.0.0', port: settings.httpPort },
    { name: 'REEVE_HTTPS_PORT', what: 'the sites over TLS', host: '0.0.0.0', port: settings.httpsPort },
  ]
  const problems = await Promise.all(
    wanted.map(async ({ name, what, host, port }) => {
      const code = await tryToListen(host, port)
      if (code === undefined) return undefined
      if (code === 'EADDRINUSE') {
        return `Port ${port} for ${what} is taken. See who holds it with "ss -ltnp sport = :${port}", or set ${name}.`
      }
      return `Port ${port} for ${what} cannot be used (${code}); set ${name} to another.`
    }),
  )
  return problems.filter((problem) => problem !== undefined)
}

function tryToListen(host: string, port: number): Promise<string | undefined> {
  const { promise, resolve: done } = Promise.withResolvers<string | undefined>()
  const server = createServer()
  server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
  server.listen({ host, port, exclusive: true }, () => server.close(() => done(undefined)))
  return promise
}
