// What the installed nginx can do, asked of the binary and the modules beside it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { AppError } from '@reeve/contract/errors.ts'
import { run } from '../command.ts'
import type { NginxFeatures, SitePorts } from './render-listen.ts'

const modulesDirectory = '/usr/lib/nginx/modules'

/** Modules that the distribution packages apart and that the configuration makes use of. */
const usefulModules = [
  'ngx_http_cache_purge_module.so',
  'ngx_http_brotli_filter_module.so',
  'ngx_http_brotli_static_module.so',
]

export function installedModules(): string[] {
  if (!existsSync(modulesDirectory)) return []
  const found = new Set(readdirSync(modulesDirectory))
  return usefulModules.filter((name) => found.has(name)).map((name) => `${modulesDirectory}/${name}`)
}

export async function nginxFeatures(): Promise<NginxFeatures> {
  const { stderr } = await run('nginx', ['-V'], { timeoutMs: 10_000 })
  const version = /nginx version: nginx\/([0-9.]+)/.exec(stderr)?.[1]
  if (!version) throw new AppError('internal', 'nginx does not tell its version.')
  return {
    version,
    http2Directive: isAtLeast(version, [1, 25, 1]),
    http3: stderr.includes('--with-http_v3_module'),
    purgeModule: installedModules().some((path) => path.includes('cache_purge')),
  }
}

export function sitePorts(http: number, https: number): SitePorts {
  const hasIpv6 = existsSync('/proc/net/if_inet6') && readFileSync('/proc/net/if_inet6', 'utf8').trim() !== ''
  return { http, https, ipv6: hasIpv6 }
}

/** The host's name servers as nginx writes them, for upstreams given by name (resolv.conf(5)). */
export function nameServers(): string[] {
  if (!existsSync('/etc/resolv.conf')) return []
  return readFileSync('/etc/resolv.conf', 'utf8')
    .split('\n')
    .flatMap((line) => /^nameserver\s+([0-9a-f.:]+)\s*$/i.exec(line)?.[1] ?? [])
    .map((address) => (address.includes(':') ? `[${address.toLowerCase()}]` : address))
}

function isAtLeast(version: string, wanted: readonly number[]): boolean {
  const parts = version.split('.').map(Number)
  for (const [at, minimum] of wanted.entries()) {
    const part = parts[at] ?? 0
    if (part !== minimum) return part > minimum
  }
  return true
}
