import { createPrivateKey, X509Certificate } from 'node:crypto'
import { AppError } from '@reeve/contract/errors.ts'
import type { Domain } from '@reeve/contract/primitives.ts'

const certificates = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+?-----END CERTIFICATE-----/g

/** The chain in plain PEM. Throws unless it is one that the web server can serve for these names with this key. */
export function checkChain(
  authority: string,
  text: string,
  key: string,
  names: readonly Domain[],
  now = Date.now(),
): string {
  const refuse = (what: string) =>
    new AppError('internal', `The certificate that ${authority} issued ${what}; it was not installed.`)
  const blocks = text.match(certificates) ?? []
  const chain = blocks.map(parse)
  const [leaf] = chain
  if (leaf === undefined || chain.includes(undefined)) throw refuse('cannot be read')
  if (!leaf.checkPrivateKey(createPrivateKey(key))) throw refuse('is for another key')
  const missing = names.find((name) => leaf.checkHost(name) === undefined)
  if (missing !== undefined) throw refuse(`does not name ${missing}`)
  if (leaf.validToDate.getTime() <= now) throw refuse('has ended already')
  const isChain = chain.every((one, index) => {
    const issuer = chain[index + 1]
    return one !== undefined && (issuer === undefined || one.checkIssued(issuer))
  })
  if (!isChain) throw refuse('is not followed by the ones that signed it')
  return `${blocks.join('\n')}\n`
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}
