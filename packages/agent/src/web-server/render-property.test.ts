import { type Domain, ProxyUpstream, SiteId } from '@reeve/contract/primitives.ts'
import { SiteType } from '@reeve/contract/sites.ts'
import { describe, expect, test } from 'vitest'
import { pathsBelow } from '../paths.ts'
import { type NginxNode, parseNginx } from './parse-nginx.ts'
import { base, debian12, newer } from './render-cases.ts'
import type { VhostSettings } from './render-settings.ts'
import { renderVhost, type VhostInput } from './render-vhost.ts'

const installed = pathsBelow('/')

/** Directives that a vhost may hold, wherever: what nginx can do beyond them, a site cannot be made to do. */
const known = new Set(
  [
    'access_log add_header alias allow auth_basic auth_basic_user_file break if limit_req limit_req_status map',
    'client_max_body_size absolute_redirect default_type disable_symlinks deny limit_except',
    'proxy_pass_request_headers fastcgi_cache_purge proxy_cache_purge',
    'error_log error_page expires gzip gzip_comp_level gzip_min_length gzip_proxied gzip_static gzip_types gzip_vary',
    'http2 http3 index internal keepalive listen location open_file_cache open_file_cache_valid proxy_connect_timeout',
    'proxy_http_version proxy_pass proxy_read_timeout proxy_redirect proxy_send_timeout proxy_set_header proxy_ssl_name',
    'proxy_ssl_server_name return root server server_name server_tokens set ssl_certificate ssl_certificate_key',
    'ssl_ciphers ssl_prefer_server_ciphers ssl_protocols ssl_session_cache ssl_session_tickets ssl_session_timeout',
    'try_files types upstream fastcgi_buffer_size fastcgi_buffers fastcgi_hide_header fastcgi_param fastcgi_pass',
    'fastcgi_read_timeout',
    ...['fastcgi', 'proxy'].map((protocol) =>
      ['', '_background_update', '_bypass', '_key', '_lock', '_path', '_use_stale', '_valid']
        .map((end) => `${protocol}_cache${end}`)
        .join(' '),
    ),
    'fastcgi_no_cache proxy_no_cache fastcgi_ignore_headers',
  ].flatMap((line) => line.split(' ')),
)

function names(nodes: readonly NginxNode[]): string[] {
  return nodes.flatMap((node) => {
    const [name = ''] = node.words
    // What stands in a map is its values.
    return [name, ...(name === 'map' ? [] : names(node.block ?? []))]
  })
}

/** A seeded generator, so that a failure can be run again. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function randomInput(next: () => number): VhostInput {
  const below = (count: number) => Math.floor(next() * count)
  const pick = <T>(values: readonly [T, ...T[]]): T => values[below(values.length)] ?? values[0]
  const word = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet[below(alphabet.length)]).join('')
  const label = () => word('abcdefghijklmnopqrstuvwxyz0123456789', 1 + below(20))
  const domain = () => `${label()}.${label()}.test` as Domain // labels of letters and digits are in their parsed form
  const name = domain()
  const aliases = Array.from({ length: below(4) }, domain)
  return {
    ...base,
    ...randomSettings(next, below),
    id: SiteId.parse(`s${word('abcdefghijklmnopqrstuvwxyz234567', 15)}`),
    domain: name,
    aliases,
    redirected_names: next() < 0.3 && aliases[0] ? [{ from: aliases[0], to: name }] : [],
    type: pick(SiteType.options as [SiteType, ...SiteType[]]), // an enum of the contract is not empty
    profile: pick(['balanced', 'commerce', 'maximum']),
    cache: {
      enabled: next() < 0.8,
      ttl_s: 1 + below(2_592_000),
      bypass_paths: Array.from({ length: below(3) }, () => randomPath(next)),
    },
    stale_s: below(300_000),
    user: `site-${below(10_000)}`,
    proxy_upstream: ProxyUpstream.parse(
      pick([
        'http://127.0.0.1:3000',
        'https://[::1]:8443',
        'http://localhost',
        `https://${domain()}:${1 + below(65_535)}`,
      ]),
    ),
    ports: { http: 1 + below(1000), https: 1001 + below(60_000), ipv6: next() < 0.5 },
    nginx: pick([debian12, newer]),
    limits: { upload_max_mb: 1 + below(1000), request_timeout_s: 1 + below(1000) },
  }
}

const pathCharacters = "abcXYZ019._~!*'()@:=+,/-"
const randomPath = (next: () => number): string =>
  `/${Array.from({ length: Math.floor(next() * 30) }, () => pathCharacters[Math.floor(next() * pathCharacters.length)]).join('')}`

const snippets = [
  null,
  '# nothing but a comment }',
  'location = /x { return 204; }',
  'add_header X-Frame-Options "SAMEORIGIN";\nif ($http_user_agent ~ "bad{2}") {\n  return 403;\n}',
]

function randomSettings(next: () => number, below: (count: number) => number): VhostSettings {
  const statuses = [301, 302, 307, 308] as const
  return {
    redirects: Array.from({ length: below(4) }, () => ({
      from: randomPath(next),
      to: next() < 0.5 ? randomPath(next) : `https://example.org${randomPath(next)}?a=%20&b#c`,
      status: statuses[below(4)] ?? 301,
    })),
    https_redirect: next() < 0.5,
    redirected_names: [],
    hsts: next() < 0.5,
    password_file: next() < 0.5 ? '/etc/reeve/passwords/sabcdefghijklmno' : null,
    login_rate_limit: next() < 0.5,
    nginx_snippet: snippets[below(snippets.length)] ?? null,
  }
}

const isPublic = (server: NginxNode) =>
  server.block?.some(({ words: [name, value] }) => name === 'listen' && !value?.startsWith('unix:'))
const namesOf = (server: NginxNode) =>
  server.block?.find((node) => node.words[0] === 'server_name')?.words.slice(1) ?? []
const listensOn = (server: NginxNode, port: number) =>
  server.block?.some(({ words: [name, value] }) => name === 'listen' && value === String(port)) === true

describe('property', () => {
  test('random inputs render to servers that answer each given name once on each port, and no other', () => {
    const next = random(20_261_121)
    for (let round = 0; round < 1000; round++) {
      const input = randomInput(next)
      const nodes = parseNginx(renderVhost(installed, input))
      const servers = nodes.filter((node) => node.words[0] === 'server' && isPublic(node))
      const wanted = [input.domain, ...input.aliases].sort()
      for (const port of [input.ports.http, input.ports.https]) {
        expect(
          servers
            .filter((server) => listensOn(server, port))
            .flatMap(namesOf)
            .sort(),
        ).toEqual(wanted)
      }
      const unexpected = names(nodes).filter((name) => !known.has(name))
      expect(unexpected).toEqual([])
      const top = new Set(nodes.map((node) => node.words[0]))
      for (const name of top)
        expect(['server', 'upstream', 'map', 'fastcgi_cache_path', 'proxy_cache_path']).toContain(name)
    }
  })
  test('an injected directive would be seen', () => {
    const text = renderVhost(installed, base).replace('example.com', 'a.test;\n autoindex on')
    expect(names(parseNginx(text)).filter((name) => !known.has(name))).toEqual(['autoindex'])
  })
})
