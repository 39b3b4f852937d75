// The whole embedded run as a person meets it: started, killed in every way, stopped.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endLeftovers, findLeftovers } from './leftovers.ts'
import { answers } from './ready.ts'

const repository = resolve(import.meta.dirname, '../..')
const program = join(repository, 'dist/reeve.cjs')

let root: string
let env: NodeJS.ProcessEnv
let port: number

beforeAll(async () => {
  const build = spawn(process.execPath, [join(repository, 'scripts/build.ts'), 'reeve', 'cms'], {
    stdio: 'inherit',
  })
  expect(await once(build, 'exit')).toEqual([0, null])
  root = await mkdtemp('/var/tmp/reeve-life-')
  await chmod(root, 0o755)
  const ports = await freePorts(3)
  port = ports[0] ?? 0
  env = {
    ...process.env,
    REEVE_ROOT: root,
    REEVE_PORT: String(ports[0]),
    REEVE_HTTP_PORT: String(ports[1]),
    REEVE_HTTPS_PORT: String(ports[2]),
  }
}, 120_000)

afterAll(async () => {
  await endLeftovers(root, 5000)
  await rm(root, { recursive: true, force: true })
}, 60_000)

describe('the embedded run', { timeout: 120_000 }, () => {
  it('serves, and leaves no process when asked to stop', async () => {
    const host = await start()
    expect(host.said()).toContain(`Reeve runs at   http://127.0.0.1:${port}`)
    const token = (await readFile(join(root, 'var/lib/reeve/setup-token'), 'utf8')).trim()
    expect(host.said()).toContain(`/setup#token=${token}`)
    expect(programs()).toEqual(['mariadbd', 'nginx', 'node', 'node', 'php-fpm', 'redis-server'])
    host.child.kill('SIGINT')
    expect(await host.ended).toEqual([0, null])
    expect(findLeftovers(root)).toEqual([])
  })

  it('runs the API as user reeve without any privilege, and keeps its state from others', async () => {
    const host = await start()
    const status = await readFile(`/proc/${pidOf('api')}/status`, 'utf8')
    expect(status).toMatch(/^Uid:\t([1-9]\d*)\t\1\t\1\t\1$/m)
    expect(status).toMatch(/^Groups:\t *$/m)
    expect(status).toMatch(/^CapBnd:\t0+$/m)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    const mode = async (path: string) => ((await stat(join(root, path))).mode & 0o7777).toString(8)
    expect(await mode('var/lib/reeve')).toBe('700')
    expect(await mode('var/lib/reeve-agent')).toBe('700')
    expect(await mode('run/reeve')).toBe('750')
    await host.stop()
  })

  it('starts a killed API and a killed agent again', async () => {
    const host = await start()
    for (const role of ['api', 'agent'] as const) {
      const before = pidOf(role)
      process.kill(before, 'SIGKILL')
      await expect.poll(() => pidOf(role), { timeout: 10_000 }).not.toBe(before)
      await expect.poll(() => isUp(), { timeout: 20_000 }).toBe(true)
    }
    await host.stop()
  })

  it('refuses a second run in the same root and says so, without touching the first', async () => {
    const host = await start()
    const before = findLeftovers(root).map(({ pid }) => pid)
    const second = launch()
    expect(await second.ended).toEqual([1, null])
    expect(second.said()).toContain(`Reeve already runs in ${root} (process ${host.child.pid})`)
    expect(findLeftovers(root).map(({ pid }) => pid)).toEqual(before)
    await host.stop()
  })

  it('takes everything with it when it is killed', async () => {
    const host = await start()
    host.child.kill('SIGKILL')
    await host.ended
    await expect.poll(() => findLeftovers(root), { timeout: 30_000 }).toEqual([])
  })

  it('clears what is left when all three were killed at once', async () => {
    const host = await start()
    const pids = [pidOf('api'), pidOf('agent')]
    host.child.kill('SIGSTOP')
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    host.child.kill('SIGKILL')
    await host.ended
    // A short command of the agent may still be ending.
    await expect.poll(programs).toEqual(['mariadbd', 'nginx', 'php-fpm', 'redis-server'])
    const next = await start()
    expect(next.said()).toMatch(/Ended \d+ processes that an earlier run left/)
    await next.stop()
  })

  it('kills what hangs when asked a second time', async () => {
    const host = await start()
    process.kill(pidOf('agent'), 'SIGSTOP')
    host.child.kill('SIGINT')
    await expect.poll(() => host.said()).toContain('Stopping')
    // One press reaches the host twice: from the terminal and from npm.
    host.child.kill('SIGINT')
    await new Promise((done) => setTimeout(done, 1500))
    expect(host.said()).not.toContain('Forced')
    host.child.kill('SIGINT')
    expect(await host.ended).toEqual([0, null])
    expect(host.said()).toContain('Forced')
    expect(findLeftovers(root)).toEqual([])
  })

  it('gives up when the agent cannot start, and says where to look', async () => {
    const host = await start()
    await host.stop()
    await mkdir(join(root, 'run/reeve/agent.sock/occupied'), { recursive: true })
    const failing = launch()
    expect(await failing.ended).toEqual([1, null])
    expect(failing.said()).toContain(
      `Reeve did not come up; what it said is above and in ${root}/var/log/reeve.`,
    )
    expect(findLeftovers(root)).toEqual([])
    await rm(join(root, 'run/reeve/agent.sock'), { recursive: true })
  })

  it('names every taken port before it starts anything', async () => {
    const server = createServer()
    await once(server.listen(port, '127.0.0.1'), 'listening')
    const host = launch()
    expect(await host.ended).toEqual([1, null])
    expect(host.said()).toContain(`Port ${port} for the panel is taken`)
    expect(findLeftovers(root)).toEqual([])
    await new Promise((done) => server.close(done))
  })
})

interface Host {
  child: ChildProcess
  ended: Promise<unknown[]>
  said(): string
  stop(): Promise<void>
}

function launch(): Host {
  const child = spawn(process.execPath, [program, 'embedded'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
  }
  const ended = once(child, 'close')
  const stop = async () => {
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(findLeftovers(root)).toEqual([])
  }
  return { child, ended, said: () => text, stop }
}

async function start(): Promise<Host> {
  const host = launch()
  await expect.poll(() => host.said(), { timeout: 60_000 }).toContain('Stop            Ctrl-C')
  return host
}

async function isUp(): Promise<boolean> {
  const agent = await answers({ socketPath: join(root, 'run/reeve/agent.sock') }, '/ping')
  return agent && answers({ host: '127.0.0.1', port }, '/healthz')
}

const masters = /^(?:\S*\/)?(node|mariadbd|redis-server)\b|^(nginx|php-fpm): master process/

/** The main processes below the root, without the workers of nginx and PHP-FPM. */
function programs(): string[] {
  return findLeftovers(root)
    .map(({ title }) => masters.exec(title))
    .flatMap((match) => match?.[1] ?? match?.[2] ?? [])
    .sort()
}

function pidOf(role: 'api' | 'agent'): number {
  return findLeftovers(root).find(({ title }) => title.endsWith(`reeve.cjs ${role}`))?.pid ?? 0
}

/** Below the range that the kernel takes for outgoing connections, so that none takes one between two runs. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const candidate = randomInt(15_000, 30_000)
    const server = createServer().listen(candidate, '0.0.0.0')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    server.close()
    if (isFree) ports.add(candidate)
  }
  return [...ports]
}
