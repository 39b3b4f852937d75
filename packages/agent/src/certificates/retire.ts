// What happens to a certificate when its site goes: the authority is told, and nothing of it stays here.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { SiteId } from '@reeve/contract/primitives.ts'
import type { AgentContext } from '../context.ts'
import type { Progress } from '../dispatch.ts'
import { describeError } from '../log.ts'
import { accountKeyFromPem, openAuthority } from './authority.ts'
import { readAccount } from './account.ts'
import { revokeCertificate } from './order.ts'
import { certificateFiles, pairInUse } from './pair.ts'
import { isSelfSigned } from './self-signed.ts'
import { readState, removeState } from './state.ts'

/** A site must go also when its authority does not answer. */
const patienceMs = 10_000

export async function retireCertificate(
  context: AgentContext,
  id: SiteId,
  progress: Progress,
): Promise<void> {
  try {
    await revoke(context, id)
  } catch (error) {
    progress.log(`The certificate was not revoked; it ends by itself. ${describeError(error)}`)
  }
  await removeState(context.paths, id)
}

async function revoke({ paths, config }: AgentContext, id: SiteId): Promise<void> {
  const directory = paths.siteTls(id)
  if (pairInUse(directory) === undefined) return
  const certificate = new X509Certificate(readFileSync(certificateFiles(directory).certificate))
  const account = readAccount(paths, config.acme)
  const isTheirs = readState(paths, id).directory === config.acme.directory
  if (isSelfSigned(certificate) || !isTheirs || !account?.url) return
  using authority = await openAuthority(config.acme, AbortSignal.timeout(patienceMs))
  const party = { authority, account: { key: accountKeyFromPem(account.key), url: account.url } }
  await revokeCertificate(party, certificate.raw)
}
