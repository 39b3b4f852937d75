// Asks the site for a page the way a visitor would, through the web server and past the page cache.
import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { AppError } from '@reeve/contract/errors.ts'
import { redirectedNames } from '@reeve/contract/site-config.ts'
import type { SiteSpec } from '@reeve/contract/sites.ts'
import { currentCertificate } from '../certificates/facts.ts'
import type { AgentContext } from '../context.ts'
import type { SiteWork } from './apply.ts'

interface Served {
  status: number
  fingerprint: string
}

/** Throws unless the site's own certificate and a page without a server error are served. */
export async function verifyServed(context: AgentContext, work: SiteWork): Promise<void> {
  const { domain, id } = work.spec
  const served = await visit(context, domain)
  const installed = currentCertificate(context.paths, id)
  if (served.fingerprint !== installed.fingerprint256) {
    throw new AppError(
      'internal',
      `The web server presents another certificate for ${domain} than the installed one.`,
    )
  }
  if (!isExpected(work.spec, served.status)) {
    throw new AppError('internal', `The front page of ${domain} answers ${served.status}; see its logs.`)
  }
}

/** A front page may be sent elsewhere, kept behind a password, or answered as an administrator says. */
function isExpected(spec: SiteSpec, status: number): boolean {
  // Whether an upstream runs is its owner's business; that we ask it is all a new proxy can prove.
  if (spec.type === 'proxy' || status === 200) return true
  if (spec.basic_auth !== null && status === 401) return true
  const isSentElsewhere =
    spec.redirects.some(({ from }) => from === '/') ||
    redirectedNames(spec).some(({ from }) => from === spec.domain)
  if (isSentElsewhere && status >= 300 && status < 400) return true
  return spec.nginx_snippet !== null && status < 500
}

function visit(context: AgentContext, domain: string): Promise<Served> {
  const { httpsPort } = context.config
  const { promise, resolve, reject } = Promise.withResolvers<Served>()
  const call = request({
    host: '127.0.0.1',
    port: httpsPort,
    servername: domain,
    path: '/?reeve-verify',
    headers: { host: httpsPort === 443 ? domain : `${domain}:${httpsPort}` },
    rejectUnauthorized: false, // compared with the installed certificate by the caller
    agent: false,
    timeout: 30_000,
  })
  call.on('response', (response) => {
    // An https response's socket is a TLSSocket; the types only know net.Socket.
    const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate()
    response.resume()
    response.on('end', () => resolve({ status: response.statusCode ?? 0, fingerprint: fingerprint256 }))
  })
  call.on('timeout', () => call.destroy(new Error('no answer within 30 s')))
  call.on('error', (error) =>
    reject(new AppError('internal', `${domain} does not answer over HTTPS: ${error.message}.`)),
  )
  call.end()
  return promise
}
