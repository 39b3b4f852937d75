// What a page-cache hit costs nginx beside a static file of the same bytes: CPU time of the workers for each
// request, which other work on the machine disturbs less than requests a second.
//   node packages/testbed/bench/page-cache.ts [--check] [--rounds 7] [--seconds 3]
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { createPrivateServer, type PrivateServer, type PrivateSite } from '../web-server/private-server.ts'
import { freePort, visit } from '../web-server/visit.ts'
import { median } from './median.ts'

const run = promisify(execFile)
const pageBytes = 50_000
const limits = { plain: 1.1, gzip: 1.25 }
/** USER_HZ, which Linux fixes at 100 for /proc. */
const tickUs = 10_000

type Encoding = keyof typeof limits
interface Sample {
  cpuUs: number
  perSecond: number
}

/** Half markup, half words: about as compressible as a front page. */
function page(): string {
  let seed = 1
  const word = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return (seed % 60_466_176).toString(36)
  }
  let text = '<!doctype html><html><head><title>Page</title></head><body>\n'
  while (text.length < pageBytes - 100)
    text += `<div class="wp-block-group"><p class="has-text">${word()} ${word()}</p></div>\n`
  return `${text.padEnd(pageBytes - 14)}</body></html>`
}

// The same bytes as the files beside it, so that both sides send the same.
const php = `<?php
$isGzip = $_SERVER['REEVE_ENCODING'] === 'gzip';
if ($isGzip) header('Content-Encoding: gzip');
$page = file_get_contents(__DIR__ . '/page.html' . ($isGzip ? '.gz' : ''));
header('Content-Type: text/html');
header('Vary: Accept-Encoding');
header('Content-Length: ' . strlen($page));
echo $page;
`

/** TLS would hide the difference: it costs both four times as much as serving. So the servers speak plain HTTP. */
function withoutTls(text: string, plainPort: number): string {
  return text.replace(/listen \d+ ssl http2;/, `listen ${plainPort};`).replace(/^\s*ssl_.*\n/gm, '')
}

/** The site's own route to a file, made cheaper than it is by files that nginx keeps open. */
function staticReference(text: string, domain: string): string {
  const route = '    expires $reeve_expires;\n'
  if (!text.includes(route)) throw new Error('The vhost has no route to static files.')
  return text
    .replace(`server_name ${domain};`, 'server_name static.test;')
    .replace(route, `    open_file_cache max=200 inactive=10s;\n    open_file_cache_valid 1s;\n${route}`)
}

function cpuTicks(pids: readonly number[]): number {
  let ticks = 0
  for (const pid of pids) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    ticks += Number(fields[11]) + Number(fields[12]) // utime and stime: proc(5)
  }
  return ticks
}

async function load(
  server: PrivateServer,
  target: string,
  host: string,
  encoding: Encoding,
  seconds: number,
): Promise<Sample> {
  const pids = server.workerPids()
  const before = cpuTicks(pids)
  const headers = [
    '-H',
    `Host: ${host}`,
    ...(encoding === 'gzip' ? ['-H', 'Accept-Encoding: gzip, deflate, br'] : []),
  ]
  const { stdout } = await run('prlimit', [
    '--nofile=16384',
    'wrk',
    '-t1',
    '-c32',
    `-d${seconds}s`,
    ...headers,
    target,
  ])
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${target} answered with errors:\n${stdout}`)
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1])
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  return { cpuUs: ((cpuTicks(pids) - before) * tickUs) / requests, perSecond }
}

function spread(values: readonly number[], digits: number): string {
  const sorted = [...values].sort((a, b) => a - b)
  return [sorted[0], median(sorted), sorted.at(-1)]
    .map((value) => (value ?? Number.NaN).toFixed(digits))
    .join(' / ')
}

async function compare(
  server: PrivateServer,
  site: PrivateSite,
  plainPort: number,
  encoding: Encoding,
  options: { rounds: number; seconds: number },
): Promise<number> {
  const hits: Sample[] = []
  const files: Sample[] = []
  const target = `http://127.0.0.1:${plainPort}`
  const hit = () => load(server, `${target}/`, site.domain, encoding, options.seconds)
  const file = () => load(server, `${target}/page.html`, 'static.test', encoding, options.seconds)
  for (let round = 0; round < options.rounds; round++) {
    // A,B then B,A: a machine that gets slower does not favour one side.
    if (round % 2) hits.push(await hit())
    files.push(await file())
    if (!(round % 2)) hits.push(await hit())
  }
  const ratios = hits.map((sample, round) => sample.cpuUs / (files[round]?.cpuUs ?? Number.NaN))
  const line = (name: string, samples: readonly Sample[]) =>
    `  ${name.padEnd(12)} ${spread(
      samples.map((s) => s.cpuUs),
      2,
    )} µs CPU a request, ${spread(
      samples.map((s) => s.perSecond),
      0,
    )} requests a second`
  console.log(`${encoding} (min / median / max of ${options.rounds} interleaved rounds)`)
  console.log(line('static file', files))
  console.log(line('cache hit', hits))
  console.log(`  ratio        ${spread(ratios, 3)}, at most ${limits[encoding]}\n`)
  return median(ratios)
}

/** Every visitor opens a connection of their own in the same moment, with a TLS handshake. */
async function manyConnections(site: PrivateSite, port: number): Promise<boolean> {
  const target = [`--connect-to=127.0.0.1:${port}`, `https://${site.domain}:${port}/`]
  const { stdout } = await run('prlimit', [
    '--nofile=16384',
    'h2load',
    '-t2',
    '-c2000',
    '-m1',
    '-n20000',
    ...target,
  ])
  const summary = /requests: .*/.exec(stdout)?.[0] ?? 'no summary'
  console.log(`2,000 connections at once over TLS: ${summary}`)
  return summary.includes(' 20000 succeeded')
}

/** Fails unless both sides answer the same page from where they should. */
async function proveSameBytes(site: PrivateSite, port: number): Promise<void> {
  for (const encoding of ['', 'gzip']) {
    const ask = (host: string, path: string) =>
      visit({ port, host, path, scheme: 'http', headers: { 'accept-encoding': encoding } })
    await ask(site.domain, '/')
    const hit = await ask(site.domain, '/')
    const file = await ask('static.test', '/page.html')
    const sides = [hit, file].map(({ headers, body }) => [
      headers['content-encoding'] ?? 'plain',
      body.length,
    ])
    console.log(`cache hit ${sides[0]?.join(', ')} bytes; static file ${sides[1]?.join(', ')} bytes`)
    const isComparable = hit.headers['x-cache'] === 'HIT' && hit.body.equals(file.body)
    if (!isComparable)
      throw new Error(`The two sides differ: ${String(hit.headers['x-cache'])} ${file.status}`)
  }
}

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '3' },
  },
})
const options = { rounds: Number(values.rounds), seconds: Number(values.seconds) }

await using server = await createPrivateServer()
const site = server.addSite('wordpress')
const text = page()
writeFileSync(join(site.release, 'index.php'), php)
writeFileSync(join(site.release, 'page.html'), text)
writeFileSync(join(site.release, 'page.html.gz'), gzipSync(text, { level: 6 }))
const plainPort = await freePort()
server.writeVhost(site, (vhost) => {
  const plain = withoutTls(vhost.slice(vhost.lastIndexOf('\nserver {')), plainPort)
  return `${vhost}${plain}${staticReference(plain, site.domain)}`
})
await server.start()
await proveSameBytes(site, plainPort)
const ratios = {
  plain: await compare(server, site, plainPort, 'plain', options),
  gzip: await compare(server, site, plainPort, 'gzip', options),
}
const heldAll = await manyConnections(site, server.ports.https)
const isMet = ratios.plain <= limits.plain && ratios.gzip <= limits.gzip && heldAll
console.log(isMet ? 'met' : 'not met')
if (values.check && !isMet) process.exitCode = 1
