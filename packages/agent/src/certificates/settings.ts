// Which authority certificates come from, as the agent's environment says.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { AppError } from '@reeve/contract/errors.ts'
import { Email } from '@reeve/contract/primitives.ts'

export interface AcmeSettings {
  /** Address of the authority's directory (RFC 8555 section 7.1.1). */
  directory: string
  email: Email | undefined
  /** Certificate that the authority's own is signed with, in PEM; the system's when absent. */
  ca: string | undefined
  /** Port where the authority looks for a challenge: 80, but for private ones. */
  httpPort: number
  /** Address and port of the name server that the pre-flight asks; the system's when absent. */
  dnsServer: string | undefined
}

export const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory'

export function readAcmeSettings(env: NodeJS.ProcessEnv): AcmeSettings {
  const ca = env['REEVE_ACME_CA']
  return {
    directory: directoryOf(env['REEVE_ACME_DIRECTORY'] || letsEncrypt),
    email: emailOf(env['REEVE_ACME_EMAIL']),
    ca: ca ? pemOf(ca) : undefined,
    httpPort: portOf(env['REEVE_ACME_HTTP_PORT'] || '80'),
    dnsServer: nameServerOf(env['REEVE_DNS_SERVER']),
  }
}

function directoryOf(text: string): string {
  if (URL.canParse(text) && new URL(text).protocol === 'https:') return text
  throw new AppError('invalid_request', `REEVE_ACME_DIRECTORY must be an https address, not "${text}".`)
}

function emailOf(text: string | undefined): Email | undefined {
  if (!text) return undefined
  const parsed = Email.safeParse(text)
  if (parsed.success) return parsed.data
  throw new AppError('invalid_request', `REEVE_ACME_EMAIL must be an e-mail address, not "${text}".`)
}

function pemOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new AppError('invalid_request', `REEVE_ACME_CA names ${path}, which cannot be read.`, {}, error)
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port
  throw new AppError(
    'invalid_request',
    `REEVE_ACME_HTTP_PORT must be a port between 1 and 65535, not "${text}".`,
  )
}

function nameServerOf(text: string | undefined): string | undefined {
  if (!text) return undefined
  const [, address = ''] = /^\[?([0-9A-Fa-f:.]+?)\]?(?::[0-9]{1,5})?$/.exec(text) ?? []
  if (isIP(address)) return text
  throw new AppError(
    'invalid_request',
    `REEVE_DNS_SERVER must be an address and a port, like 127.0.0.1:53, not "${text}".`,
  )
}
