// Asks what the authority will ask, before it does: a failed check there counts against a limit, one here does not.
import { randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { existsSync, unlinkSync } from 'node:fs'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { BlockList, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import type { Domain } from '@reeve/contract/primitives.ts'
import { replaceFile } from '../managed-file.ts'
import type { AcmeSettings } from './settings.ts'

const answerTimeoutMs = 10_000

export interface Surroundings {
  settings: Pick<AcmeSettings, 'httpPort' | 'dnsServer'>
  /** Folder that every site serves below `/.well-known/acme-challenge/`. */
  challenges: string
  /** Addresses of this machine. */
  ownAddresses: readonly string[]
}

/** Throws one sentence for each name that does not lead here; `log` hears what is odd but not decisive. */
export async function checkReachable(
  around: Surroundings,
  names: readonly Domain[],
  log: (text: string) => void,
): Promise<void> {
  const token = `reeve-${randomBytes(16).toString('hex')}`
  const secret = randomBytes(32).toString('hex')
  const file = join(around.challenges, token)
  replaceFile(file, secret, { mode: 0o644 })
  try {
    const path = `/.well-known/acme-challenge/${token}`
    const found = await Promise.all(names.map((name) => checkName(around, { name, path, secret }, log)))
    const problems = found.filter((problem) => problem !== undefined)
    if (problems.length === 0) return
    throw new AppError('refused', shorten(problems).join(' '), { problems })
  } finally {
    if (existsSync(file)) unlinkSync(file)
  }
}

const shorten = (problems: readonly string[]): string[] =>
  problems.length <= 3
    ? [...problems]
    : [...problems.slice(0, 3), `${problems.length - 3} more names have problems too.`]

interface Probe {
  name: string
  path: string
  secret: string
}

async function checkName(
  around: Surroundings,
  probe: Probe,
  log: (text: string) => void,
): Promise<string | undefined> {
  const { name } = probe
  const { httpPort } = around.settings
  const addresses = await resolve(name, around.settings.dnsServer)
  if ('problem' in addresses) return addresses.problem
  const answers = await Promise.all(
    addresses.found.map(async (address) => ({ address, ...(await visit(address, httpPort, probe)) })),
  )
  const wrong = answers.find(({ outcome }) => outcome === 'other')
  if (wrong) {
    return isOwn(around, wrong.address)
      ? `On port ${httpPort} of ${wrong.address}, where ${name} leads, something else than this panel's web server answers (${wrong.detail}). Stop it, or hand its requests below /.well-known/acme-challenge/ on.`
      : `${name} leads to ${wrong.address}, which is not this server: another one answers there (${wrong.detail}). Point the name to this server.`
  }
  const silent = answers.filter(({ outcome }) => outcome === 'silent')
  if (silent.length < answers.length) {
    for (const { address, detail } of silent)
      log(`${name} also leads to ${address}, which does not answer on port ${httpPort} (${detail}).`)
    return undefined
  }
  const [first] = silent
  if (first === undefined) return undefined
  if (!isOwn(around, first.address) && isBehindTranslation(around.ownAddresses, first.address)) {
    // A router that forwards port 80 often does not do so for the machine behind it.
    log(`${name} leads to ${first.address}, which cannot be checked from here; the authority will tell.`)
    return undefined
  }
  return isOwn(around, first.address)
    ? `Port ${httpPort} of ${first.address}, where ${name} leads, cannot be reached (${first.detail}). Open it in the firewall.`
    : `${name} leads to ${first.address}, which is not this server and does not answer on port ${httpPort} (${first.detail}). Point the name to this server.`
}

async function resolve(
  name: string,
  dnsServer: string | undefined,
): Promise<{ found: string[] } | { problem: string }> {
  const resolver = new Resolver({ timeout: 3000, tries: 2 })
  if (dnsServer !== undefined) resolver.setServers([dnsServer])
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length > 0) return { found: found.slice(0, 8) }
  const codes = answers.flatMap((answer) => (answer.status === 'rejected' ? [codeOf(answer.reason)] : []))
  const failure = codes.find((code) => code !== 'ENODATA' && code !== 'ENOTFOUND')
  if (failure !== undefined) {
    return {
      problem: `The name servers of ${name} could not be asked (${failure}). Try again, or look at them.`,
    }
  }
  return {
    problem: `${name} does not resolve: it has no address in the DNS. Point it to this server, and give that some time to be known.`,
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

interface Visit {
  outcome: 'right' | 'other' | 'silent'
  detail: string
}

/** Plain HTTP as the authority does it; it follows a redirect, and so do we to the same file over HTTPS. */
async function visit(address: string, port: number, probe: Probe): Promise<Visit> {
  try {
    const first = await fetchFrom(address, port, probe, 'http')
    const location = first.location === undefined ? undefined : sameFile(probe, first.location)
    const last = location === undefined ? first : await fetchFrom(address, location, probe, 'https')
    if (last.status === 200 && last.body.trim() === probe.secret) return { outcome: 'right', detail: '' }
    const redirect = last.location === undefined ? '' : ', a redirect'
    return { outcome: 'other', detail: `status ${last.status}${redirect}` }
  } catch (error) {
    return { outcome: 'silent', detail: codeOf(error) }
  }
}

function sameFile({ name, path }: Probe, location: string): number | undefined {
  const url = URL.canParse(location) ? new URL(location) : undefined
  if (url?.protocol !== 'https:' || url.hostname !== name || url.pathname !== path) return undefined
  return Number(url.port || 443)
}

interface Answer {
  status: number
  location: string | undefined
  body: string
}

function fetchFrom(
  address: string,
  port: number,
  { name, path }: Probe,
  protocol: 'http' | 'https',
): Promise<Answer> {
  const { promise, resolve: done, reject } = Promise.withResolvers<Answer>()
  const request = protocol === 'http' ? requestHttp : requestHttps
  const call = request({
    host: address,
    port,
    path,
    servername: name,
    headers: { host: name, 'user-agent': 'reeve', connection: 'close' },
    agent: false,
    rejectUnauthorized: false, // the certificate is what is being fetched; the body proves who answers
    signal: AbortSignal.timeout(answerTimeoutMs),
  })
  call.on('response', (response) => {
    let body = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
      if (body.length > 1024) response.destroy()
    })
    const answer = () => ({ status: response.statusCode ?? 0, location: response.headers.location, body })
    response.on('close', () => done(answer()))
    response.on('error', () => done(answer()))
  })
  call.on('error', (error) =>
    reject(error.name === 'AbortError' ? Object.assign(error, { code: 'no answer in 10 s' }) : error),
  )
  call.end()
  return promise
}

export const addressesOfThisMachine = (): string[] =>
  Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))

const isOwn = ({ ownAddresses }: Surroundings, address: string): boolean => ownAddresses.includes(address)

const localAddresses = new BlockList()
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  localAddresses.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  localAddresses.addSubnet(network, prefix, 'ipv6')

const isLocal = (address: string) => localAddresses.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

/** True when this machine has no address of the internet's, but the name has. */
export const isBehindTranslation = (ownAddresses: readonly string[], address: string): boolean =>
  ownAddresses.every(isLocal) && !isLocal(address)
