// Gets a site a certificate of the authority. The old one serves until the new one was seen to be served, and a
// repeated call goes on with the order that an interrupted one placed.
import { createPrivateKey } from 'node:crypto'
import { type CertificateFacts, certificateIssueSteps } from '@reeve/contract/certificates.ts'
import { AppError } from '@reeve/contract/errors.ts'
import type { Domain, SiteId, TaskId } from '@reeve/contract/primitives.ts'
import type { SiteSpec } from '@reeve/contract/sites.ts'
import type { AgentContext } from '../context.ts'
import type { Progress } from '../dispatch.ts'
import { failpoint } from '../failpoint.ts'
import { runSteps } from '../steps.ts'
import { ensureAccount } from './account.ts'
import { openAuthority } from './authority.ts'
import { checkChain } from './chain.ts'
import { certificateFacts, currentCertificate } from './facts.ts'
import { openOrder, type Ordered } from './open-order.ts'
import { finishOrder, type Party, proveNames } from './order.ts'
import { pairInUse, removeOtherPairs, sparePairs, usePair, writePair } from './pair.ts'
import { addressesOfThisMachine, checkReachable } from './pre-flight.ts'
import { waitServed } from './served.ts'
import { readState, rememberFailure, writeState } from './state.ts'

/** Less than what the panel gives the whole operation. */
const deadlineMs = 4 * 60_000

export const certificateNames = ({ domain, aliases }: SiteSpec): Domain[] => [domain, ...aliases]

export async function issueCertificate(
  context: AgentContext,
  id: SiteId,
  progress: Progress,
  task: TaskId | null = null,
): Promise<CertificateFacts> {
  return context.siteLock.hold(id, async () => {
    const site = context.registry.requireSite(id).spec
    // Its answer was lost on the way, or the panel was killed before it could keep it.
    const isDone = task !== null && readState(context.paths, id).done_for === task
    if (isDone) return certificateFacts(context.paths, id)
    refuseEarly(context, site)
    try {
      await perform({ context, site, names: certificateNames(site), progress, task })
    } catch (error) {
      rememberFailure(context.paths, id, context.config.acme.directory, error)
      throw error
    }
    return certificateFacts(context.paths, id)
  })
}

/** What is known without asking the authority, which would count it. */
function refuseEarly(context: AgentContext, site: SiteSpec): void {
  const { domain, id } = site
  const panel = context.config.panel?.domain
  if (certificateNames(site).some((name) => name === panel)) {
    throw new AppError(
      'refused',
      `${panel} is the panel's own name and cannot be part of a site's certificate.`,
    )
  }
  if (pairInUse(context.paths.siteTls(id)) === undefined) {
    throw new AppError('conflict', `${domain} is not set up completely; finish that first.`)
  }
  const { not_before, limited_by, last_error } = readState(context.paths, id)
  if (not_before === null || limited_by !== context.config.acme.directory) return
  if (Date.parse(not_before) <= Date.now()) return
  throw new AppError(
    'refused',
    `The authority does not want to be asked for ${domain} before ${not_before}. ${last_error ?? ''}`.trim(),
    { retry_at: not_before },
  )
}

export interface Attempt {
  context: AgentContext
  site: SiteSpec
  names: readonly Domain[]
  progress: Progress
  /** The panel's task that asks; null when the timer does. */
  task: TaskId | null
}

async function perform(attempt: Attempt): Promise<void> {
  const { context, progress } = attempt
  const { paths, config } = context
  const signal = AbortSignal.timeout(deadlineMs)
  using held = new DisposableStack()
  let party: Party
  let ordered: Ordered
  let before: string | undefined
  const work: Record<(typeof certificateIssueSteps)[number], () => Promise<void>> = {
    'pre-flight': () => preFlight(attempt),
    account: async () => {
      const authority = held.use(await openAuthority(config.acme, signal))
      party = { authority, account: await ensureAccount(authority, paths, config.acme) }
    },
    order: async () => {
      ordered = await openOrder(attempt, party)
    },
    challenge: async () => {
      if (ordered.order.status !== 'pending') return
      const onAnswerable = () => failpoint('certificate.issue.challenge', 'mid')
      await proveNames(party, ordered.order, paths.acmeChallenges, onAnswerable)
    },
    install: async () => {
      before = await install(attempt, party, ordered)
    },
    verify: () => verify(attempt, before),
  }
  const steps = certificateIssueSteps.map((name, index) => ({
    name,
    after: certificateIssueSteps.slice(Math.max(index - 1, 0), index),
    run: work[name],
  }))
  await runSteps('certificate.issue', steps, progress)
}

const preFlight = ({ context, names, progress }: Attempt): Promise<void> =>
  checkReachable(
    {
      settings: context.config.acme,
      challenges: context.paths.acmeChallenges,
      ownAddresses: addressesOfThisMachine(),
    },
    names,
    progress.log,
  )

/** Returns the pair that was in use before. */
async function install(
  { context, site, names }: Attempt,
  party: Party,
  { pending }: Ordered,
): Promise<string | undefined> {
  const directory = context.paths.siteTls(site.id)
  const answer = await finishOrder(party, pending.url, createPrivateKey(pending.key), names)
  const chain = checkChain(party.authority.name, answer, pending.key, names)
  const pair = writePair(directory, chain, pending.key)
  const inUse = pairInUse(directory)
  // An interrupted call came past the switch: the old pair is still there.
  const before = inUse === pair ? sparePairs(directory)[0] : inUse
  failpoint('certificate.issue.install', 'mid')
  await context.webServer.change(() => [usePair(directory, pair)])
  return before
}

async function verify({ context, site, names, task }: Attempt, before: string | undefined): Promise<void> {
  const { paths, config, webServer } = context
  const directory = paths.siteTls(site.id)
  try {
    await waitServed(config.httpsPort, names, currentCertificate(paths, site.id))
  } catch (error) {
    if (before !== undefined) await webServer.change(() => [usePair(directory, before)])
    throw error
  }
  writeState(paths, site.id, {
    directory: config.acme.directory,
    pending: null,
    done_for: task,
    failures: 0,
    last_error: null,
    retry_at: null,
    not_before: null,
    limited_by: null,
    advice: null,
  })
  await removeOtherPairs(directory)
}
