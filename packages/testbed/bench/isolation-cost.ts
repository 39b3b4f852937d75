// What isolation costs an uncached WordPress page: the site's own pool beside the same pool under a master of its
// own that has none of it: no mount or IPC namespace, no hidden processes, the machine's own temporary folders.
//   node packages/testbed/bench/isolation-cost.ts [--check] [--pairs 200]
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PhpVersion } from '@reeve/contract/primitives.ts'
import type { Site } from '@reeve/contract/sites.ts'
import { pathsBelow } from '../../agent/src/paths.ts'
import { askPool, pingPool } from '../../agent/src/php/fastcgi.ts'
import { fpmArguments, fpmEnvironment } from '../../agent/src/php/fpm.ts'
import { defaultPhpLimits, renderPool } from '../../agent/src/php/render-pool.ts'
import { fpmBinary } from '../../agent/src/php/versions.ts'
import { Domain } from '@reeve/contract/primitives.ts'
import { wordpressFields } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { median } from './median.ts'
import { isPrepared } from './create-site.ts'

export const isolationLimit = 1.03
const warmUps = 20

export interface IsolationCost {
  /** Median of isolated : bare over all pairs. */
  ratio: number
  isolatedMs: number
  bareMs: number
}

export async function measureIsolation(reeve: Reeve, pairs: number): Promise<IsolationCost> {
  await isPrepared(reeve)
  const panel = await reeve.panel()
  const site = await panel.createSite({ ...wordpressFields, domain: 'isolated.example.com' })
  const version = PhpVersion.parse(site.php_version)
  const isolated = pathsBelow(reeve.root).fpmSocket(site.system_user ?? '', version)
  await using bare = await startBareMaster(reeve, site, version)
  const render = async (socket: string) => {
    const from = performance.now()
    const page = await askPool(socket, requestFor(reeve, site), 30_000)
    if (!page.includes('</html>')) throw new Error(`The pool answered: ${page.slice(0, 500)}`)
    return performance.now() - from
  }
  for (let round = 0; round < warmUps; round++) {
    await render(isolated)
    await render(bare.socket)
  }
  const isolatedTimes: number[] = []
  const bareTimes: number[] = []
  for (let round = 0; round < pairs; round++) {
    const isFirst = round % 2 === 0
    if (isFirst) isolatedTimes.push(await render(isolated))
    bareTimes.push(await render(bare.socket))
    if (!isFirst) isolatedTimes.push(await render(isolated))
  }
  return {
    ratio: median(isolatedTimes.map((time, at) => time / (bareTimes[at] ?? Number.NaN))),
    isolatedMs: median(isolatedTimes),
    bareMs: median(bareTimes),
  }
}

interface BareMaster extends AsyncDisposable {
  socket: string
}

async function startBareMaster(reeve: Reeve, site: Site, version: PhpVersion): Promise<BareMaster> {
  const paths = pathsBelow(reeve.root)
  const directory = mkdtempSync('/var/tmp/reeve-bare-')
  const socket = join(reeve.root, 'run/php', 'bare.sock')
  const config = join(directory, 'fpm.conf')
  const pool = renderPool(paths, {
    domain: Domain.parse(site.domain),
    user: site.system_user ?? '',
    socket,
    workers: site.php_workers ?? 2,
    limits: defaultPhpLimits,
  })
  writeFileSync(config, `[global]\ndaemonize = no\nerror_log = ${join(directory, 'log')}\n\n${pool}`)
  const master = spawn(fpmBinary(version), fpmArguments(config), {
    stdio: 'ignore',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...fpmEnvironment(paths, version) },
  })
  const ended = once(master, 'exit')
  for (const end = performance.now() + 10_000; !(await pingPool(socket)); ) {
    if (performance.now() > end) throw new Error('The bare pool does not answer.')
  }
  return {
    socket,
    async [Symbol.asyncDispose]() {
      master.kill('SIGTERM')
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function requestFor(reeve: Reeve, site: Site): Record<string, string> {
  const home = join(pathsBelow(reeve.root).site(Domain.parse(site.domain)), 'current')
  return {
    SCRIPT_FILENAME: join(home, 'index.php'),
    SCRIPT_NAME: '/index.php',
    DOCUMENT_ROOT: home,
    REQUEST_METHOD: 'GET',
    REQUEST_URI: '/',
    QUERY_STRING: '',
    SERVER_PROTOCOL: 'HTTP/1.1',
    SERVER_NAME: site.domain,
    SERVER_PORT: String(reeve.httpsPort),
    HTTP_HOST: `${site.domain}:${reeve.httpsPort}`,
    HTTPS: 'on',
    REMOTE_ADDR: '127.0.0.1',
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { check: { type: 'boolean' }, pairs: { type: 'string', default: '200' } },
  })
  await using reeve = await startReeve()
  const { ratio, isolatedMs, bareMs } = await measureIsolation(reeve, Number(values.pairs))
  console.log(`isolated ${isolatedMs.toFixed(2)} ms, bare ${bareMs.toFixed(2)} ms`)
  console.log(`ratio ${ratio.toFixed(3)} (at most ${isolationLimit})`)
  if (values.check) {
    const isMet = ratio <= isolationLimit
    console.log(isMet ? 'met' : 'missed')
    process.exitCode = isMet ? 0 : 1
  }
}
