// The official source against a server of our own with a certificate of our own.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ensureCore } from '../../../agent/src/cms/core.ts'
import type { CoreSource, OfficialSite } from '../../../agent/src/cms/core-source.ts'
import { downloadText } from '../../../agent/src/cms/download.ts'
import { createKeyedLock } from '../../../agent/src/keyed-lock.ts'
import { type Paths, pathsBelow } from '../../../agent/src/paths.ts'
import { privateRoot } from '../private-services.ts'

const root = privateRoot()
const lock = createKeyedLock()
let server: Server
let site: OfficialSite
let archive: Buffer
/** Answers by path; what is missing answers 404. */
let answers: Record<string, (response: ServerResponse) => void>
let asked: string[]

const text = (body: string | Buffer) => (response: ServerResponse) => void response.end(body)

beforeAll(async () => {
  const tree = join(root.path, 'wordpress')
  const files = {
    'wp-load.php': '<?php',
    'wp-includes/version.php': "<?php\n$wp_version = '9.9.1';\n",
    'wp-includes/default-constants.php': "<?php define( 'WP_DEFAULT_THEME', 'nine' );",
    'wp-content/themes/nine/style.css': '',
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(tree, name, '..'), { recursive: true })
    writeFileSync(join(tree, name), content)
  }
  execFileSync('tar', ['-czf', join(root.path, 'core.tar.gz'), '-C', root.path, 'wordpress'])
  archive = readFileSync(join(root.path, 'core.tar.gz'))
  const [key, certificate] = [join(root.path, 'key.pem'), join(root.path, 'certificate.pem')]
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync(
    'openssl',
    ['req', '-x509', ...curve, '-keyout', key, '-out', certificate, '-days', '2', ...name],
    { stdio: 'ignore' },
  )
  server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    asked.push(request.url ?? '')
    const answer = answers[request.url ?? '']
    if (answer) answer(response)
    else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const base = `https://localhost:${port}`
  site = {
    versionCheck: new URL(`${base}/version-check`),
    releases: new URL(`${base}/release/`),
    ca: readFileSync(certificate, 'utf8'),
  }
})

afterAll(() => {
  server?.closeAllConnections()
  server?.close()
  root[Symbol.dispose]()
})

beforeEach(() => {
  asked = []
  answers = {
    '/version-check': text(JSON.stringify({ offers: [{ version: '9.9.1', more: true }], extra: [] })),
    '/release/wordpress-9.9.1.tar.gz': text(archive),
    '/release/wordpress-9.9.1.tar.gz.sha1': text(`${createHash('sha1').update(archive).digest('hex')}\n`),
  }
})

let hosts = 0
const freshPaths = (): Paths => pathsBelow(join(root.path, `host-${++hosts}`))
const latest = (): CoreSource => ({ kind: 'official', version: undefined, site })
const noteOf = (paths: Paths) => join(paths.cores, '.latest.json')

test('the latest version is downloaded, checked and kept; afterwards nothing is asked', async () => {
  const paths = freshPaths()
  expect((await ensureCore({ paths, source: latest(), lock })).version).toBe('9.9.1')
  expect(asked).toEqual([
    '/version-check',
    '/release/wordpress-9.9.1.tar.gz.sha1',
    '/release/wordpress-9.9.1.tar.gz',
  ])
  asked = []
  await ensureCore({ paths, source: latest(), lock })
  expect(asked).toEqual([])
})

test('a fixed version needs no version check, and no network once it is here', async () => {
  const paths = freshPaths()
  const source: CoreSource = { kind: 'official', version: '9.9.1', site }
  await ensureCore({ paths, source, lock })
  answers = {}
  asked = []
  expect((await ensureCore({ paths, source, lock })).version).toBe('9.9.1')
  expect(asked).toEqual([])
})

test('with a core here, no failure of the server is a failure of a site', async () => {
  const paths = freshPaths()
  await ensureCore({ paths, source: latest(), lock })
  for (const change of [
    {}, // nothing answers
    { '/version-check': text('<html>') },
    { '/version-check': text(JSON.stringify({ offers: [{ version: '../etc' }] })) },
    { '/version-check': text(JSON.stringify({ offers: [{ version: '10.0' }] })) }, // a version that cannot be had
  ]) {
    answers = change
    asked = []
    writeFileSync(noteOf(paths), '{"version":"9.9.1","next_check_at":0}')
    expect((await ensureCore({ paths, source: latest(), lock })).version).toBe('9.9.1')
    expect(asked[0]).toBe('/version-check')
  }
  server.closeAllConnections()
  const gone = { ...site, versionCheck: new URL('https://localhost:9/') }
  writeFileSync(noteOf(paths), 'not JSON')
  expect(
    (await ensureCore({ paths, source: { kind: 'official', version: undefined, site: gone }, lock })).version,
  ).toBe('9.9.1')
})

test('an unanswered check is not repeated for every site', async () => {
  const paths = freshPaths()
  await ensureCore({ paths, source: latest(), lock })
  writeFileSync(noteOf(paths), '{"version":"9.9.1","next_check_at":0}')
  answers = {}
  await ensureCore({ paths, source: latest(), lock })
  asked = []
  await ensureCore({ paths, source: latest(), lock })
  expect(asked).toEqual([])
})

const tampered = () => Buffer.concat([archive, Buffer.from('x')])

test.each<[string, () => Record<string, (response: ServerResponse) => void>, RegExp]>([
  [
    'the archive is not the published one',
    () => ({ '/release/wordpress-9.9.1.tar.gz': text(tampered()) }),
    /does not match its published checksum/,
  ],
  [
    'the checksum is missing',
    () => ({ '/release/wordpress-9.9.1.tar.gz.sha1': (response) => void response.writeHead(404).end() }),
    /answered 404/,
  ],
  [
    'the checksum is an error page',
    () => ({ '/release/wordpress-9.9.1.tar.gz.sha1': text('<html>') }),
    /does not hold a checksum/,
  ],
  [
    'the archive ends early',
    () => ({
      '/release/wordpress-9.9.1.tar.gz': (response) => {
        response.writeHead(200, { 'content-length': archive.length })
        response.write(archive.subarray(0, 10), () => response.destroy())
      },
    }),
    /could not be read|ended before/,
  ],
  [
    'it redirects to plain HTTP',
    () => ({
      '/release/wordpress-9.9.1.tar.gz': (response) =>
        void response.writeHead(302, { location: 'http://localhost/x' }).end(),
    }),
    /not an HTTPS address/,
  ],
  [
    'it redirects for ever',
    () => ({
      '/release/wordpress-9.9.1.tar.gz': (response) =>
        void response.writeHead(302, { location: '/release/wordpress-9.9.1.tar.gz' }).end(),
    }),
    /redirects too often/,
  ],
  [
    'the archive holds another version',
    () => ({
      '/version-check': text(JSON.stringify({ offers: [{ version: '9.9.2' }] })),
      '/release/wordpress-9.9.2.tar.gz': text(archive),
      '/release/wordpress-9.9.2.tar.gz.sha1': text(createHash('sha1').update(archive).digest('hex')),
    }),
    /holds version 9\.9\.1/,
  ],
])('without a core, it is refused with the reason when %s', async (_, change, reason) => {
  const paths = freshPaths()
  answers = { ...answers, ...change() }
  await expect(ensureCore({ paths, source: latest(), lock })).rejects.toThrow(reason)
  expect(readdirSync(paths.cores).filter((name) => name.startsWith('.work-'))).toEqual([])
})

test('a certificate that nobody vouches for is refused', async () => {
  const { ca: _, ...stranger } = site
  const source: CoreSource = { kind: 'official', version: undefined, site: stranger }
  await expect(ensureCore({ paths: freshPaths(), source, lock })).rejects.toThrow(/certificate/)
})

test('size and time are limited', async () => {
  answers['/big'] = text('x'.repeat(5000))
  answers['/slow'] = (response) => void response.write('x')
  const limits = { timeoutMs: 300, maxBytes: 1000, ca: site.ca }
  await expect(downloadText(new URL('/big', site.releases), limits)).rejects.toThrow('larger than 1000 bytes')
  await expect(downloadText(new URL('/slow', site.releases), limits)).rejects.toThrow(
    'no full answer within 0.3 s',
  )
})
