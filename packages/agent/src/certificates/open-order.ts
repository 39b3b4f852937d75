import { generateKeyPairSync } from 'node:crypto'
import { registerAccount } from './account.ts'
import { AuthorityError } from './authority-error.ts'
import { currentCertificate } from './facts.ts'
import type { Attempt } from './issue.ts'
import { type Order, type Party, placeOrder, readOrder } from './order.ts'
import { certificateId } from './renewal-information.ts'
import { isSelfSigned } from './self-signed.ts'
import { type PendingOrder, readState, writeState } from './state.ts'

export interface Ordered {
  order: Order
  pending: PendingOrder
}

/** The order of an interrupted attempt, as long as the authority goes on with it, or a new one. */
export async function openOrder(attempt: Attempt, party: Party): Promise<Ordered> {
  try {
    return (await earlierOrder(attempt, party)) ?? (await newOrder(attempt, party))
  } catch (error) {
    if (!(error instanceof AuthorityError && error.kind === 'accountDoesNotExist')) throw error
    const { paths, config } = attempt.context
    attempt.progress.log(`${party.authority.name} no longer knows our account; making it again.`)
    party.account = await registerAccount(party.authority, paths, config.acme)
    return await newOrder(attempt, party)
  }
}

/** An order is good for days at some authorities; what was asked for long ago is asked for anew. */
const keptForMs = 24 * 3_600_000

async function earlierOrder(attempt: Attempt, party: Party): Promise<Ordered | undefined> {
  const { context, site, names, progress } = attempt
  const { pending } = readState(context.paths, site.id)
  const isOurs =
    pending?.directory === context.config.acme.directory &&
    pending.names.join() === names.join() &&
    Date.now() - Date.parse(pending.placed_at) < keptForMs
  if (!pending || !isOurs) return undefined
  try {
    const order = await readOrder(party, pending.url)
    if (order.status === 'invalid') return undefined
    progress.log('Going on with the order of an earlier attempt.')
    return { order, pending }
  } catch (error) {
    const isForgotten = error instanceof AuthorityError && error.isFinal
    if (isForgotten && error.kind !== 'accountDoesNotExist') return undefined
    throw error
  }
}

async function newOrder({ context, site, names }: Attempt, party: Party): Promise<Ordered> {
  const { paths, config } = context
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pending: PendingOrder = {
    directory: config.acme.directory,
    url: await placeOrder(party, names, replacedCertificate({ context, site }, party)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    names: [...names],
    placed_at: new Date().toISOString(),
  }
  writeState(paths, site.id, { pending })
  return { order: await readOrder(party, pending.url), pending }
}

/** The authority then knows that this order is a renewal, and does not count it against its limits. */
function replacedCertificate(
  { context: { paths, config }, site }: Pick<Attempt, 'context' | 'site'>,
  { authority }: Party,
): string | undefined {
  if (authority.directory.renewalInfo === undefined) return undefined
  const certificate = currentCertificate(paths, site.id)
  const isTheirs = readState(paths, site.id).directory === config.acme.directory
  return isTheirs && !isSelfSigned(certificate) ? certificateId(certificate) : undefined
}
