// Certificates of a test's own authority, made by openssl.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../testing/folder.ts'

export interface Issued {
  certificate: string
  key: string
}

export interface TestAuthority extends Issued {
  issue(names: readonly string[], options?: { days?: number; serial?: string; extensions?: string[] }): Issued
}

export function createAuthority(extensions: readonly string[] = []): TestAuthority {
  const folder = makeFolder('authority')
  const at = (name: string) => join(folder, name)
  const openssl = (args: readonly string[]) =>
    execFileSync('/usr/bin/openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl([
    ...['req', '-x509', ...newKey, '-days', '3650', '-subj', '/O=Tests/CN=Authority of tests'],
    ...extensions.flatMap((extension) => ['-addext', extension]),
    ...['-keyout', at('ca.key'), '-out', at('ca.pem')],
  ])
  let made = 0
  return {
    certificate: readFileSync(at('ca.pem'), 'utf8'),
    key: readFileSync(at('ca.key'), 'utf8'),
    issue(names, { days = 90, serial, extensions: more = [] } = {}) {
      const [request, key, out, config] = ['csr', 'key', 'pem', 'cnf'].map((end) => at(`${++made}.${end}`))
      const lines = [`subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`, ...more]
      writeFileSync(config!, `${lines.join('\n')}\n`)
      openssl(['req', ...newKey, '-subj', '/', '-keyout', key!, '-out', request!])
      openssl([
        ...['x509', '-req', '-in', request!, '-CA', at('ca.pem'), '-CAkey', at('ca.key')],
        ...(serial === undefined ? ['-CAcreateserial'] : ['-set_serial', serial]),
        ...['-days', String(days), '-extfile', config!, '-out', out!],
      ])
      return { certificate: readFileSync(out!, 'utf8'), key: readFileSync(key!, 'utf8') }
    },
  }
}
