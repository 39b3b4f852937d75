// Which certificate the web server presents, asked the way a browser asks.
import type { X509Certificate } from 'node:crypto'
import { connect } from 'node:tls'
import { AppError } from '@reeve/contract/errors.ts'
import type { Domain } from '@reeve/contract/primitives.ts'
import { waitUntil } from '../processes.ts'

/** Throws unless every name is served with this certificate. */
export async function waitServed(
  port: number,
  names: readonly Domain[],
  { fingerprint256 }: X509Certificate,
): Promise<void> {
  for (const name of names) {
    const isServed = await waitUntil(
      async () => (await servedFingerprint(port, name).catch(() => undefined)) === fingerprint256,
      5000,
      50,
    )
    if (isServed) continue
    throw new AppError(
      'internal',
      `The web server does not present the new certificate for ${name}, so the old one was put back.`,
    )
  }
}

export function servedFingerprint(port: number, name: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername: name,
    rejectUnauthorized: false, // compared with the installed one by the caller
    timeout: 5000,
  })
  socket.on('secureConnect', () => {
    resolve(socket.getPeerCertificate().fingerprint256)
    socket.end()
  })
  socket.on('timeout', () => socket.destroy(new Error('no answer within 5 s')))
  socket.on('error', reject)
  return promise
}
