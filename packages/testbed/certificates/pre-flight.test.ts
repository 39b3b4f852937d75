// Real sockets on this machine's addresses, and the name server that comes with Pebble.
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Domain } from '@reeve/contract/primitives.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkReachable, isBehindTranslation } from '../../agent/src/certificates/pre-flight.ts'
import { readAcmeSettings } from '../../agent/src/certificates/settings.ts'
import { createAuthority } from '../../agent/src/certificates/testing/certificates.ts'
import { type CertificateAuthority, startAuthority } from '../src/pebble.ts'
import { makeFolder } from '../../agent/src/testing/folder.ts'

const challenges = makeFolder('challenges')
const name = Domain.parse('one.example.com')
const answer = (request: { url?: string | undefined }, response: { end(text: string | Buffer): unknown }) =>
  response.end(readFileSync(join(challenges, (request.url ?? '').split('/').at(-1) ?? '')))
const web = createServer(answer)
const secure = createTlsServer(
  (({ certificate, key }) => ({ cert: certificate, key }))(createAuthority().issue(['somebody.example'])),
  answer,
)
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port
let authority: CertificateAuthority

beforeAll(async () => {
  for (const server of [web, secure])
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', () => done()))
  authority = await startAuthority()
})
afterAll(async () => {
  await authority[Symbol.asyncDispose]()
  for (const server of [web, secure]) server.close().closeAllConnections()
})
beforeEach(async () => {
  await authority.port80.forwardTo(portOf(web))
  await authority.lead([name], '127.0.0.1')
})

const said: string[] = []
const check = (names = [name], ownAddresses = ['127.0.0.1']) => {
  said.length = 0
  const around = { settings: readAcmeSettings(authority.env), challenges, ownAddresses }
  return checkReachable(around, names, (text) => void said.push(text))
}

describe('a name', () => {
  it('that leads here passes, and no file stays', async () => {
    await check()
    expect(said).toEqual([])
    expect(readdirSync(challenges)).toEqual([])
  })

  it('that passes by a redirect to the same file over HTTPS, whatever its certificate', async () => {
    const to = createServer((request, response) => {
      response.writeHead(301, { location: `https://${name}:${portOf(secure)}${request.url}` }).end()
    })
    await new Promise<void>((done) => void to.listen(0, '127.0.0.1', () => done()))
    await authority.port80.forwardTo(portOf(to))
    await check()
    to.close()
  })

  it('that nobody knows is said to have no address', async () => {
    await authority.lead([name], null)
    await expect(check()).rejects.toThrow(`${name} does not resolve`)
    expect(readdirSync(challenges)).toEqual([])
  })

  it('whose name server does not answer is said to be so', async () => {
    const settings = { ...readAcmeSettings(authority.env), dnsServer: '127.0.0.1:9' }
    const around = { settings, challenges, ownAddresses: ['127.0.0.1'] }
    await expect(checkReachable(around, [name], () => {})).rejects.toThrow(
      /name servers of one.*ECONNREFUSED/,
    )
  })

  it('that leads to a closed port of this machine names the firewall', async () => {
    await authority.port80.close()
    await expect(check()).rejects.toThrow(
      /^Port \d+ of 127\.0\.0\.1, where one\.example\.com leads, cannot be reached \(ECONNREFUSED\)\. Open it/,
    )
  })

  it('that leads to a silent machine elsewhere says where', async () => {
    await authority.lead([name], '127.0.0.7')
    await expect(check()).rejects.toThrow(
      /leads to 127\.0\.0\.7, which is not this server and does not answer/,
    )
  })

  it.each([
    { own: ['127.0.0.1'], message: /something else than this panel's web server answers \(status 404\)/ },
    { own: ['10.1.2.3'], message: /leads to 127\.0\.0\.1, which is not this server: another one answers/ },
  ])('answered by somebody else is refused: $message', async ({ own, message }) => {
    await authority.port80.strange(404)
    await expect(check([name], own)).rejects.toThrow(message)
  })

  it.each([
    { what: 'says yes to everything', status: 200, headers: {} },
    { what: 'sends elsewhere', status: 302, headers: { location: 'https://parked.example.net/' } },
    { what: 'sends to a file of this machine', status: 302, headers: { location: 'file:///etc/passwd' } },
    { what: 'sends to its metadata', status: 302, headers: { location: 'http://169.254.169.254/latest' } },
  ])(
    'answered by a web server that $what is refused, and nobody is followed',
    async ({ status, headers }) => {
      await authority.port80.strange(status, headers)
      await expect(check()).rejects.toThrow(new RegExp(`status ${status}`))
    },
  )

  it('is refused together with the others that have a problem, each in a sentence', async () => {
    const others = ['a', 'b', 'c', 'd'].map((label) => Domain.parse(`${label}.example.com`))
    await expect(check([name, ...others])).rejects.toMatchObject({
      message: expect.stringMatching(
        /^a\.example\.com .* b\.example\.com .* c\.example\.com .* 1 more names/,
      ),
      details: { problems: { length: 4 } },
    })
  })
})

describe('a machine behind address translation', () => {
  it.each([
    { own: ['127.0.0.1', '10.0.0.5', 'fe80::1'], address: '198.51.100.7', is: true },
    { own: ['127.0.0.1', '192.168.1.2'], address: '2001:db8::7', is: true },
    { own: ['127.0.0.1', '203.0.113.9'], address: '198.51.100.7', is: false },
    { own: ['127.0.0.1', '10.0.0.5'], address: '10.0.0.9', is: false },
    { own: ['127.0.0.1', '10.0.0.5'], address: 'fd00::9', is: false },
  ])('$own asking for $address: $is', ({ own, address, is }) => {
    expect(isBehindTranslation(own, address)).toBe(is)
  })
})
