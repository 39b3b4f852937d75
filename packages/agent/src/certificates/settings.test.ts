import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { letsEncrypt, readAcmeSettings } from './settings.ts'
import { makeFolder } from '../testing/folder.ts'

it("are Let's Encrypt on port 80 when nothing is said", () => {
  const nothing = { email: undefined, ca: undefined, dnsServer: undefined }
  expect(readAcmeSettings({})).toEqual({ directory: letsEncrypt, httpPort: 80, ...nothing })
  expect(readAcmeSettings({ REEVE_ACME_DIRECTORY: '', REEVE_ACME_EMAIL: '' }).directory).toBe(letsEncrypt)
})

it('are what the environment says', () => {
  const ca = join(makeFolder('settings'), 'ca.pem')
  writeFileSync(ca, 'PEM')
  const settings = readAcmeSettings({
    REEVE_ACME_DIRECTORY: 'https://ca.example.com/dir',
    REEVE_ACME_EMAIL: 'owner@example.com',
    REEVE_ACME_CA: ca,
    REEVE_ACME_HTTP_PORT: '8080',
    REEVE_DNS_SERVER: '[::1]:5353',
  })
  expect(settings).toEqual({
    directory: 'https://ca.example.com/dir',
    email: 'owner@example.com',
    ca: 'PEM',
    httpPort: 8080,
    dnsServer: '[::1]:5353',
  })
})

it.each([
  ['REEVE_ACME_DIRECTORY', 'http://ca.example.com/dir'],
  ['REEVE_ACME_DIRECTORY', 'letsencrypt'],
  ['REEVE_ACME_EMAIL', 'nobody'],
  ['REEVE_ACME_CA', '/nonexistent/ca.pem'],
  ['REEVE_ACME_HTTP_PORT', '0'],
  ['REEVE_ACME_HTTP_PORT', '80a'],
  ['REEVE_DNS_SERVER', 'dns.example.com'],
  ['REEVE_DNS_SERVER', '1.2.3.4:99999999'],
])('refuse %s=%s by name', (name, value) => {
  expect(() => readAcmeSettings({ [name]: value })).toThrow(name)
})
