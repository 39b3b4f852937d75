// A certificate request (RFC 2986): a public key and the names it is for, signed with that key.
import { createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { Domain } from '@reeve/contract/primitives.ts'
import { domainValue } from '../render-values.ts'
import { der, oid, tags } from './der.ts'

const ecdsaWithSha256 = '1.2.840.10045.4.3.2'
const extensionRequest = '1.2.840.113549.1.9.14'
const subjectAltName = '2.5.29.17'

/** DER. The subject stays empty: names stand where browsers look, also those too long for a common name. */
export function signingRequest(privateKey: KeyObject, names: readonly Domain[]): Buffer {
  const information = der(
    tags.sequence,
    der(tags.integer, Buffer.from([0])),
    der(tags.sequence),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    der(0xa0, der(tags.sequence, oid(extensionRequest), der(tags.set, extensions(names)))),
  )
  const signature = sign('sha256', information, privateKey)
  return der(
    tags.sequence,
    information,
    der(tags.sequence, oid(ecdsaWithSha256)),
    der(tags.bitString, Buffer.from([0]), signature),
  )
}

function extensions(names: readonly Domain[]): Buffer {
  const dnsName = (name: Domain) => der(0x82, Buffer.from(domainValue('name', name), 'latin1'))
  const generalNames = der(tags.sequence, ...names.map(dnsName))
  return der(tags.sequence, der(tags.sequence, oid(subjectAltName), der(tags.octetString, generalNames)))
}
