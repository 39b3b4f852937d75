// Renews what is due: by the authority's advice (RFC 9773), after two thirds of a certificate's life, or when a site
// has got a name since. One after the other: a site's failure is its own, but an authority that wants to be left
// alone is left alone.
import type { X509Certificate } from 'node:crypto'
import { AppError } from '@reeve/contract/errors.ts'
import type { Domain } from '@reeve/contract/primitives.ts'
import type { SiteSpec } from '@reeve/contract/sites.ts'
import type { AgentContext } from '../context.ts'
import { describeError } from '../log.ts'
import { type Authority, openAuthority, parseAnswer } from './authority.ts'
import { AuthorityError } from './authority-error.ts'
import { retryAfterMs } from './authority-http.ts'
import { currentCertificate, renewAt } from './facts.ts'
import { certificateNames, issueCertificate } from './issue.ts'
import { removeOldChallenges } from './order.ts'
import { pairInUse } from './pair.ts'
import { certificateId, RenewalInformation, takeAdvice } from './renewal-information.ts'
import { isSelfSigned } from './self-signed.ts'
import { type CertificateState, readState, rememberFailure, writeState } from './state.ts'

const adviceDeadlineMs = 2 * 60_000
/** More are as a rule the same failure again. */
const shownFailures = 5

interface Renewable {
  site: SiteSpec
  certificate: X509Certificate
}

/** Throws one sentence for all that could not be renewed. */
export async function renewDueCertificates(context: AgentContext): Promise<void> {
  removeOldChallenges(context.paths.acmeChallenges, Date.now())
  const sites = renewable(context)
  if (sites.length === 0) return
  const isReachable = await refreshAdvice(context, sites)
  const failed: string[] = []
  for (const { site } of sites) {
    // Whatever the run before this one has changed counts.
    if (!isDueNow(context, site)) continue
    try {
      if (isReachable instanceof AppError) throw isReachable
      await issueCertificate(context, site.id, quietly(context, site))
      context.log('certificate renewed', { site: site.domain })
    } catch (error) {
      if (error === isReachable) rememberFailure(context.paths, site.id, context.config.acme.directory, error)
      failed.push(`${site.domain}: ${describeError(error)}`)
      if (error instanceof AuthorityError && error.waitMs !== undefined) break
    }
  }
  if (failed.length === 0) return
  const more = failed.length > shownFailures ? ` ${failed.length - shownFailures} more were not renewed.` : ''
  throw new AppError(
    'internal',
    `These certificates could not be renewed. ${failed.slice(0, shownFailures).join(' ')}${more}`,
    { failed },
  )
}

function renewable({ registry, paths }: AgentContext): Renewable[] {
  return registry
    .listSites()
    .filter(({ spec }) => pairInUse(paths.siteTls(spec.id)) !== undefined)
    .map(({ spec }) => ({ site: spec, certificate: currentCertificate(paths, spec.id) }))
    .filter(({ certificate }) => !isSelfSigned(certificate))
}

function isDueNow({ registry, paths }: AgentContext, { id }: SiteSpec): boolean {
  const spec = registry.findSite(id)?.spec
  if (!spec || pairInUse(paths.siteTls(id)) === undefined) return false
  return isDue(currentCertificate(paths, id), certificateNames(spec), readState(paths, id), Date.now())
}

/** `names` are those of the site. */
export function isDue(
  certificate: X509Certificate,
  names: readonly Domain[],
  state: CertificateState,
  now: number,
): boolean {
  if (isSelfSigned(certificate)) return false
  const isWaiting = (until: string | null) => until !== null && Date.parse(until) > now
  if (isWaiting(state.retry_at) || isWaiting(state.not_before)) return false
  // An order under way is one whose attempt was killed: it is finished before it is forgotten.
  if (state.pending !== null || Date.parse(renewAt(certificate, state)) <= now) return true
  return names.some((name) => certificate.checkHost(name, { subject: 'never' }) === undefined)
}

/** Asks for advice where it is time to. Answers why the authority cannot be asked for anything, if so. */
async function refreshAdvice(
  context: AgentContext,
  sites: readonly Renewable[],
): Promise<AppError | undefined> {
  const { paths, config } = context
  const asking = sites.filter(({ site }) => {
    const { advice, directory } = readState(paths, site.id)
    const isTime = advice === null || Date.parse(advice.next_check_at) <= Date.now()
    return isTime && directory === config.acme.directory
  })
  if (asking.length === 0 && !sites.some(({ site }) => isDueNow(context, site))) return undefined
  try {
    using authority = await openAuthority(config.acme, AbortSignal.timeout(adviceDeadlineMs))
    for (const renewal of asking) await adviseOn(context, authority, renewal)
    return undefined
  } catch (error) {
    return error instanceof AppError ? error : new AppError('internal', describeError(error), {}, error)
  }
}

/** Advice is worth asking for, not worth failing for. */
async function adviseOn(
  { paths, log }: AgentContext,
  authority: Authority,
  { site, certificate }: Renewable,
): Promise<void> {
  const id = certificateId(certificate)
  if (authority.directory.renewalInfo === undefined || id === undefined) return
  try {
    const answer = await authority.get(`${authority.directory.renewalInfo}/${id}`)
    const information = parseAnswer(authority.name, RenewalInformation, answer)
    const wait = retryAfterMs(answer.headers, Date.now())
    const { advice } = readState(paths, site.id)
    writeState(paths, site.id, { advice: takeAdvice(id, information, wait, advice, Date.now()) })
  } catch (error) {
    log('no advice on a renewal', { site: site.domain, error: describeError(error) })
  }
}

const quietly = (context: AgentContext, site: SiteSpec) => ({
  step: () => {},
  log: (text: string) => context.log('certificate', { site: site.domain, text }),
})
