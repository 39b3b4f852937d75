// Runs PHP inside a hosted WordPress, in its own pool, as one of its plugins would.
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Host, seenFromHere, siteOrigin } from './host.ts'
import { type Tenant, writeAs } from './isolation/tenant.ts'
import { visit } from './visitor.ts'

const script = `<?php
require dirname( __DIR__, 2 ) . '/wp-load.php';
$reeve_code = json_decode( (string) file_get_contents( 'php://input' ), true )['code'];
try {
	$reeve_result = eval( $reeve_code );
} catch ( Throwable $reeve_problem ) {
	status_header( 500 );
	exit( $reeve_problem->getMessage() . ' on line ' . $reeve_problem->getLine() );
}
header( 'Content-Type: application/json' );
echo json_encode( array( 'result' => $reeve_result ) );
`

const path = '/wp-content/plugins/e2e.php'

export function installCode(tenant: Tenant): void {
  writeAs(tenant, join(tenant.home, 'current', path), script)
}

/** What the code returns. */
export async function runCode<Result>(host: Host, { domain }: Tenant, code: string): Promise<Result> {
  const body = JSON.stringify({ code })
  const headers = { 'content-length': String(Buffer.byteLength(body)) }
  const at = { ...host.https, path, method: 'POST', body, headers, timeoutMs: 120_000 }
  const page = await visit(domain, at)
  if (page.status !== 200 || !page.text.startsWith('{"result"')) {
    throw new Error(`${domain} answered ${page.status}: ${page.text.slice(0, 500)}`)
  }
  return (JSON.parse(page.text) as { result: Result }).result // the shape of the script above
}

export const connectorToken = (tenant: Tenant): string => constant(tenant, 'REEVE_CONNECTOR_TOKEN')

function constant({ host, home }: Tenant, name: string): string {
  const text = readFileSync(join(seenFromHere(host, home), 'shared/wp-config.php'), 'utf8')
  const value = new RegExp(`^define\\( '${name}', '([^']*)' \\);$`, 'm').exec(text)?.[1]
  if (value === undefined) throw new Error(`wp-config.php of ${home} does not define ${name}`)
  return value
}

export interface Metrics {
  time_us: number
  queries: number
  peak_bytes: number
  hits: number
  misses: number
}

/** The header of a probe for this address, as the panel signs it. */
export function probeHeader(
  tenant: Tenant,
  host: string,
  target: string,
  seconds = Date.now() / 1000,
): string {
  const at = String(Math.floor(seconds))
  const text = ['reeve-probe', at, host, target].join('\n')
  return `${at}.${createHmac('sha256', connectorToken(tenant)).update(text).digest('hex')}`
}

/** What making the page cost, past the page cache. */
export async function measurePage(host: Host, tenant: Tenant, target: string): Promise<Metrics> {
  const { host: name } = new URL(siteOrigin(host, tenant.domain))
  const headers = { 'x-reeve-probe': probeHeader(tenant, name, target) }
  const page = await visit(tenant.domain, { ...host.https, path: target, headers })
  const fields = new URLSearchParams(String(page.headers['x-reeve-metrics']).replaceAll(';', '&'))
  const value = (name: string) => Number(fields.get(name) ?? Number.NaN)
  return {
    time_us: value('time_us'),
    queries: value('queries'),
    peak_bytes: value('peak_bytes'),
    hits: value('hits'),
    misses: value('misses'),
  }
}
