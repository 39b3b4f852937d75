import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import { type Domain, ProxyUpstream, type SiteId } from '@reeve/contract/primitives.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Paths, pathsBelow } from '../paths.ts'
import { base, configured, debian12, newer, proxied } from './render-cases.ts'
import { type ReeveConfInput, renderGeneration, renderNginx, renderReeveConf } from './render-nginx.ts'
import { renderVhost, type VhostInput } from './render-vhost.ts'

/** The name of a case is the name of its file below `golden/`. */
const vhosts: Record<string, VhostInput> = {
  'wordpress-on-standard-ports': base,
  'wordpress-on-other-ports-with-aliases': {
    ...base,
    aliases: ['www.example.com' as Domain, 'xn--bcher-kva.example' as Domain], // literals in their parsed form
    ports: { http: 8080, https: 8443, ipv6: false },
  },
  'wordpress-without-page-cache': { ...base, cache: { enabled: false, ttl_s: 600, bypass_paths: [] } },
  'wordpress-on-nginx-with-http3': { ...base, nginx: newer },
  'woocommerce-keeps-carts-out-of-the-cache': { ...base, type: 'woocommerce', profile: 'commerce' },
  'php-caches-what-the-application-says': { ...base, type: 'php' },
  'laravel-has-one-entry-point': { ...base, type: 'laravel' },
  'static-files-only': { ...base, type: 'static' },
  'proxy-to-a-local-port': proxied,
  'everything-that-can-be-set': configured,
  'everything-that-can-be-set-also-over-http': {
    ...configured,
    https_redirect: false,
    ports: { http: 8080, https: 8443, ipv6: false },
  },
  'proxy-with-a-password-over-http-too': {
    ...proxied,
    https_redirect: false,
    password_file: configured.password_file,
  },
  'without-a-limit-on-sign-ins': { ...base, login_rate_limit: false },
  'proxy-to-a-name-over-tls': { ...proxied, proxy_upstream: ProxyUpstream.parse('https://app.example.net') },
}
const conf: ReeveConfInput = { ports: base.ports, nginx: debian12, resolvers: [] }
const confs: Record<string, ReeveConfInput> = {
  'reeve-conf-on-standard-ports': conf,
  'reeve-conf-on-nginx-with-http3': {
    ports: { http: 8080, https: 8443, ipv6: false },
    nginx: newer,
    resolvers: ['192.0.2.1'],
  },
}

const installed = pathsBelow('/')
const golden = (name: string) => join(import.meta.dirname, 'golden', `${name}.conf`)

describe('golden files', () => {
  for (const [name, input] of Object.entries(vhosts)) {
    test(name, async () => {
      await expect(renderVhost(installed, input)).toMatchFileSnapshot(golden(name))
    })
  }
  for (const [name, input] of Object.entries(confs)) {
    test(name, async () => {
      await expect(renderReeveConf(installed, input)).toMatchFileSnapshot(golden(name))
    })
  }
  test('embedded-main-file', async () => {
    const modules = ['/usr/lib/nginx/modules/ngx_http_cache_purge_module.so']
    const text = renderNginx(pathsBelow('/srv/panel'), {
      modules,
      open_files: 20_000,
      mimeTypes: '/etc/nginx/mime.types',
    })
    await expect(text).toMatchFileSnapshot(golden('embedded-main-file'))
  })
  test('generation', async () => {
    await expect(renderGeneration(installed, 42)).toMatchFileSnapshot(golden('generation'))
  })
})

describe('nginx accepts', () => {
  let root: string
  let paths: Paths
  beforeAll(() => {
    root = mkdtempSync('/var/tmp/reeve-nginx-')
    paths = pathsBelow(root)
    const files = [paths.nginxPid, paths.nginxErrorLog, paths.nginxStatusSocket].map((file) => dirname(file))
    for (const path of [
      paths.nginxConfD,
      paths.nginxSites,
      paths.nginxTemp,
      paths.pageCaches,
      paths.tls,
      ...files,
    ]) {
      mkdirSync(path, { recursive: true })
    }
    const keys = ['-keyout', join(paths.tls, 'key.pem'), '-out', join(paths.tls, 'chain.pem')]
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=x', ...keys],
      {
        stdio: 'ignore',
      },
    )
    const modules = ['/usr/lib/nginx/modules/ngx_http_cache_purge_module.so']
    writeFileSync(
      paths.nginxConf,
      renderNginx(paths, { modules, open_files: 4096, mimeTypes: '/etc/nginx/mime.types' }),
    )
    writeFileSync(join(paths.nginxConfD, 'reeve-generation.conf'), renderGeneration(paths, 1))
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  // The installed nginx decides which features it can be asked to accept.
  const cases = Object.entries(vhosts).filter(([, input]) => input.nginx !== newer)
  for (const [name, input] of cases) {
    test(name, () => {
      const resolvers = ['127.0.0.1']
      writeFileSync(
        join(paths.nginxConfD, 'reeve.conf'),
        renderReeveConf(paths, { ports: input.ports, nginx: debian12, resolvers }),
      )
      mkdirSync(paths.siteLogs(input.domain), { recursive: true })
      const certificate = { chain: join(paths.tls, 'chain.pem'), key: join(paths.tls, 'key.pem') }
      writeFileSync(paths.vhost(input.domain), renderVhost(paths, { ...input, certificate }))
      const said = spawnSync('nginx', ['-t', '-c', paths.nginxConf], { encoding: 'utf8' }).stderr
      expect(said).toContain('test is successful')
      expect(said).not.toContain('[warn]')
    })
  }
  test('the shared part beside the main file of the distribution', () => {
    const main = readFileSync('/etc/nginx/nginx.conf', 'utf8')
      // The distribution loads what its packages bring; the path here is the same and the folder another.
      .replace(
        /^\s*include .*modules-enabled.*$/m,
        'load_module /usr/lib/nginx/modules/ngx_http_cache_purge_module.so;',
      )
      .replace(/\/etc\/nginx\/(conf\.d|sites-enabled)\/\*(?:\.conf)?/g, `${root}/etc/nginx/$1/*.conf`)
      .replaceAll('/var/log/nginx', dirname(paths.nginxErrorLog))
      .replace(/^pid .*$/m, `pid ${paths.nginxPid};`)
    expect(main).toContain(`${paths.nginxConfD}/*.conf`)
    const path = join(root, 'distribution.conf')
    writeFileSync(path, main)
    const said = spawnSync('nginx', ['-t', '-c', path], { encoding: 'utf8' }).stderr
    expect(said).toContain('test is successful')
    expect(said).not.toContain('[warn]')
  })
  test('not what is broken', () => {
    writeFileSync(paths.vhost(base.domain), renderVhost(paths, base).replace('root ', 'roof '))
    expect(() => execFileSync('nginx', ['-t', '-c', paths.nginxConf], { stdio: 'pipe' })).toThrow(
      /unknown directive/,
    )
  })
})

const hostile = [
  '\n',
  '\r',
  '\t',
  ' ',
  '{',
  '}',
  ';',
  '#',
  '"',
  "'",
  '\\',
  '$',
  '%',
  '${x}',
  '\0',
  '\u2028',
  '*',
  '~^.*$',
]

/** Every text of the input, as a function that puts another text there. */
const textFields: Record<string, (text: string) => VhostInput> = {
  // Asserted: these are the values that the types forbid and that must be refused all the same.
  id: (text) => ({ ...base, id: text as SiteId }),
  domain: (text) => ({ ...base, domain: text as Domain }),
  alias: (text) => ({ ...base, aliases: [text as Domain] }),
  user: (text) => ({ ...base, user: text }),
  proxy_upstream: (text) => ({ ...proxied, proxy_upstream: text as ProxyUpstream }),
  chain: (text) => ({ ...base, certificate: { ...base.certificate, chain: text } }),
  key: (text) => ({ ...base, certificate: { ...base.certificate, key: text } }),
  version: (text) => ({ ...base, nginx: { ...debian12, version: text } }),
  bypass_path: (text) => ({ ...base, cache: { ...base.cache, bypass_paths: [text] } }),
  redirect_from: (text) => ({ ...base, redirects: [{ from: text, to: '/new', status: 301 }] }),
  redirect_to: (text) => ({ ...base, redirects: [{ from: '/old', to: text, status: 301 }] }),
  password_file: (text) => ({ ...base, password_file: text }),
}
const valid: Record<string, string> = {
  id: base.id,
  domain: base.domain,
  alias: 'www.example.com',
  user: base.user,
  proxy_upstream: 'http://app.example.net:3000',
  chain: base.certificate.chain,
  key: base.certificate.key,
  version: debian12.version,
  bypass_path: '/feeds/',
  redirect_from: '/old/page',
  redirect_to: 'https://example.org/new',
  password_file: '/etc/reeve/passwords/sabcdefghijklmno',
}
/** Characters that this field may hold, because they mean nothing there. */
const meant: Record<string, readonly string[]> = {
  bypass_path: ["'", '*'],
  redirect_from: ["'", '*'],
  redirect_to: ["'", '*', '#', '%'],
}

describe('hostile values are refused', () => {
  for (const [field, withText] of Object.entries(textFields)) {
    const text = valid[field] ?? ''
    test(`${field} alone is accepted`, () =>
      expect(renderVhost(installed, withText(text))).toContain('server {'))
    for (const character of hostile.filter((one) => meant[field]?.includes(one) !== true)) {
      test(`${field} with ${JSON.stringify(character)}`, () => {
        for (const at of [0, text.length >> 1, text.length]) {
          const broken = text.slice(0, at) + character + text.slice(at)
          expect(() => renderVhost(installed, withText(broken))).toThrow(AppError)
        }
      })
    }
  }
  test('a root prefix that a configuration cannot hold', () => {
    for (const root of ['/srv/a b', '/srv/a;b', '/srv/a$b', '/srv/a{b', '/srv/a\nb', "/srv/a'b"]) {
      expect(() => renderVhost(pathsBelow(root), base)).toThrow(AppError)
      expect(() => renderNginx(pathsBelow(root), { modules: [], open_files: 4096, mimeTypes: '/m' })).toThrow(
        AppError,
      )
      expect(() => renderGeneration(pathsBelow(root), 1)).toThrow(AppError)
    }
  })
  test('a snippet that leaves its block', () => {
    const snippet = '}\nserver { listen 81; '
    expect(() => renderVhost(installed, { ...base, nginx_snippet: snippet })).toThrow(AppError)
  })
  test("a redirect from a name that is not the site's", () => {
    const names = [{ from: 'other.example' as Domain, to: base.domain }] // a literal in its parsed form
    expect(() => renderVhost(installed, { ...base, redirected_names: names })).toThrow(AppError)
  })
  test('numbers that are none', () => {
    for (const number of [Number.NaN, 1.5, -1, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(() => renderVhost(installed, { ...base, stale_s: number })).toThrow(AppError)
      expect(() => renderVhost(installed, { ...base, ports: { ...base.ports, https: number } })).toThrow(
        AppError,
      )
      expect(() => renderGeneration(installed, number)).toThrow(AppError)
    }
  })
  test('resolvers and modules', () => {
    for (const address of ['127.0.0.1;', '127.0.0.1 evil', 'name', '']) {
      expect(() => renderReeveConf(installed, { ...conf, resolvers: [address] })).toThrow(AppError)
    }
    const main = { open_files: 4096, mimeTypes: '/etc/nginx/mime.types' }
    expect(() => renderNginx(installed, { ...main, modules: ['/m.so; user root'] })).toThrow(AppError)
  })
})
