// The embedded run: agent as root, API as user `reeve`, everything below one directory, nothing left at the end.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Daemon, startDaemon } from './daemon.ts'
import { type Account, ensureAccount, ensureDirectories, installProgram, type Program } from './layout.ts'
import { endLeftovers } from './leftovers.ts'
import { lockHolder, takeLock } from './lock.ts'
import { answers, becomesTrue } from './ready.ts'
import { busyPorts, readSettings, type Settings } from './settings.ts'
import { v8Flags } from '../v8-flags.ts'

const allocator = {
  MALLOC_ARENA_MAX: '1',
  // Without it every password hash leaves 19 MiB behind in the heap.
  MALLOC_MMAP_THRESHOLD_: '1048576',
  UV_THREADPOOL_SIZE: '2',
}
const startTimeoutMs = 180_000
const hopelessDeaths = 6
const graceMs = { api: 5000, agent: 20_000, leftovers: 10_000 }

const say = (line: string) => void process.stdout.write(`${line}\n`)

export async function runEmbedded(env: NodeJS.ProcessEnv): Promise<void> {
  process.umask(0o022)
  const { settings, problems } = await readSettings(env)
  const holder = lockHolder(settings.root)
  if (holder !== undefined) {
    problems.push(
      `Reeve already runs in ${settings.root} (process ${holder}); stop it, or set REEVE_ROOT to another directory.`,
    )
  } else {
    if (problems.length === 0) await clearEarlierRun(settings.root)
    problems.push(...(await busyPorts(settings)))
  }
  if (problems.length > 0) {
    process.stderr.write(`Reeve cannot start:\n${problems.map((problem) => `  - ${problem}\n`).join('')}`)
    process.exitCode = 1
    return
  }
  if (settings.replacedRoot) {
    const { wanted, closed } = settings.replacedRoot
    say(
      `Other users cannot enter ${closed}, so everything is kept below ${settings.root} instead of ${wanted}.`,
    )
  }
  const account = await ensureAccount()
  await ensureDirectories(settings.root, account)
  const releaseLock = takeLock(settings.root)
  try {
    const program = await installProgram(settings.root, import.meta.dirname)
    await serve(settings, account, program)
  } finally {
    releaseLock()
  }
}

async function serve(settings: Settings, account: Account, program: Program): Promise<void> {
  const stop = stopSignals(() => killAll(daemons))
  const agent = startDaemon(agentOptions(settings, program))
  const daemons: Daemon[] = [agent]
  const api = startDaemon(apiOptions(settings, account, program))
  daemons.push(api)
  const isReady = await becomesTrue(() => bothAnswer(settings), {
    timeoutMs: startTimeoutMs,
    isHopeless: () => stop.isRequested() || daemons.some((daemon) => daemon.deaths() >= hopelessDeaths),
  })
  if (isReady) {
    await announce(settings)
    await stop.requested
  } else if (!stop.isRequested()) {
    say(`Reeve did not come up; what it said is above and in ${join(settings.root, 'var/log/reeve')}.`)
    process.exitCode = 1
  }
  say('Stopping …')
  // The API first: it finishes its answers while the agent still works.
  await api.stop(graceMs.api)
  await agent.stop(graceMs.agent)
  const left = await endLeftovers(settings.root, stop.isForced() ? 0 : graceMs.leftovers)
  if (left.length > 0) say(`Ended what the agent had left: ${left.map(({ title }) => title).join(', ')}.`)
  stop.release()
  say('Stopped; no process is left.')
}

/** setpriv makes the kernel end them when this process dies without a chance to. */
function dying(...args: string[]): [string, ...string[]] {
  return ['/usr/bin/setpriv', '--pdeathsig', 'TERM', ...args]
}

function agentOptions(settings: Settings, program: Program) {
  return {
    name: 'agent',
    command: dying('--', program.node, ...v8Flags, program.script, 'agent'),
    env: { ...commonEnvironment(settings), HOME: '/root', REEVE_CMS_PARTS: program.cms },
    logPath: join(settings.root, 'var/log/reeve/agent.log'),
    say,
  }
}

function apiOptions(settings: Settings, { uid, gid }: Account, program: Program) {
  const identity = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--bounding-set=-all',
    '--no-new-privs',
  ]
  return {
    name: 'api',
    command: dying(...identity, '--inh-caps=-all', '--', program.node, ...v8Flags, program.script, 'api'),
    env: { ...commonEnvironment(settings), HOME: '/nonexistent', REEVE_WEB: program.web },
    logPath: join(settings.root, 'var/log/reeve/api.log'),
    say,
  }
}

function commonEnvironment(settings: Settings): Record<string, string> {
  return {
    ...settings.passed,
    ...allocator,
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    REEVE_ROOT: settings.root,
    REEVE_PORT: String(settings.panelPort),
    REEVE_HTTP_PORT: String(settings.httpPort),
    REEVE_HTTPS_PORT: String(settings.httpsPort),
  }
}

async function bothAnswer({ root, panelPort }: Settings): Promise<boolean> {
  if (!(await answers({ socketPath: join(root, 'run/reeve/agent.sock') }, '/ping'))) return false
  return answers({ host: '127.0.0.1', port: panelPort }, '/healthz')
}

async function announce({ root, panelPort, httpPort, httpsPort }: Settings): Promise<void> {
  const address = `http://127.0.0.1:${panelPort}`
  const token = await readFile(join(root, 'var/lib/reeve/setup-token'), 'utf8').catch(() => undefined)
  say('')
  say(`  Reeve runs at   ${address}`)
  if (token) say(`  First account   ${address}/setup#token=${token.trim()}`)
  say(`  Sites           http on port ${httpPort}, https on port ${httpsPort}`)
  say(`  Files           ${root}`)
  say(`  Logs            ${join(root, 'var/log/reeve')}/{api,agent}.log, and below`)
  say('  Stop            Ctrl-C')
  say('')
}

async function clearEarlierRun(root: string): Promise<void> {
  const found = await endLeftovers(root, graceMs.leftovers)
  if (found.length > 0) say(`Ended ${found.length} processes that an earlier run left in ${root}.`)
}

function killAll(daemons: readonly Daemon[]): void {
  say('Forced: killing everything.')
  for (const daemon of daemons) daemon.kill()
}

/** npm passes Ctrl-C on to us although the terminal has sent it already; only a later one means "force". */
const secondPressMs = 1000

function stopSignals(force: () => void) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let requestedAt: number | undefined
  let isForced = false
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const handle = () => {
    if (requestedAt === undefined) {
      requestedAt = Date.now()
      resolve()
    } else if (!isForced && Date.now() - requestedAt > secondPressMs) {
      isForced = true
      force()
    }
  }
  for (const name of names) process.on(name, handle)
  return {
    requested: promise,
    isRequested: () => requestedAt !== undefined,
    isForced: () => isForced,
    release: () => names.forEach((name) => process.off(name, handle)),
  }
}
