// SFTP of a site here and at the agent. What is shown here is never less than what the agent lets in: it is stored before
// the agent opens something, and after the agent has closed it.
import { createHash, randomBytes } from 'node:crypto'
import { accessApply, accessDescribe, type SftpState, type SshKey } from '@reeve/contract/access.ts'
import { AppError } from '@reeve/contract/errors.ts'
import { parsePublicKey } from '@reeve/contract/ssh-public-key.ts'
import type { Context } from '../context.ts'
import type { StoredSite } from '../sites/store.ts'
import { sha512Crypt } from './sha512-crypt.ts'
import {
  accessOf,
  deleteKeyRow,
  insertKey,
  keysOf,
  noAccess,
  type StoredAccess,
  type StoredKey,
  storeAccess,
} from './store.ts'

type Host = Pick<Context, 'db' | 'agent' | 'events'>

const keysAtMost = 100

export async function readSftp({ db, agent }: Host, site: StoredSite): Promise<SftpState> {
  const access = await accessOf(db, site.id)
  return shown(access, await agent.call(accessDescribe, { id: site.id }))
}

/** An agent that died may have opened what it was asked to, so that stays listed, where it can be closed. */
const isAnswer = (error: unknown) => !(error instanceof AppError && error.code === 'agent_unavailable')

/** Answers the password when one was made: nobody can read it again. */
export async function turnOn(
  host: Host,
  site: StoredSite,
  wanted: string | null | undefined,
): Promise<SftpState & { password: string | null }> {
  const made = wanted === undefined ? randomBytes(18).toString('base64url') : null
  const password = made ?? wanted ?? null
  const before = await accessOf(host.db, site.id)
  const after = { enabled: true, passwordHash: password === null ? null : sha512Crypt(password) }
  await storeAccess(host.db, site.id, after)
  try {
    const place = await apply(host, site, after, await keysOf(host.db, site.id))
    announce(host, site)
    return { ...shown(after, place), password: made }
  } catch (error) {
    if (isAnswer(error)) await storeAccess(host.db, site.id, before)
    throw error
  }
}

export async function turnOff(host: Host, site: StoredSite): Promise<SftpState & { password: null }> {
  const place = await apply(host, site, noAccess, await keysOf(host.db, site.id))
  await storeAccess(host.db, site.id, noAccess)
  announce(host, site)
  return { ...shown(noAccess, place), password: null }
}

export async function addKey(host: Host, site: StoredSite, line: string): Promise<SshKey> {
  const key = parseKey(line)
  const keys = await keysOf(host.db, site.id)
  if (keys.some(({ fingerprint }) => fingerprint === key.fingerprint)) {
    throw new AppError('conflict', 'This key is there already.', { field: 'public_key' })
  }
  if (keys.length >= keysAtMost) {
    throw new AppError('refused', `${site.spec.domain} has ${keysAtMost} keys already; remove one first.`)
  }
  await insertKey(host.db, site.id, key)
  try {
    await apply(host, site, await accessOf(host.db, site.id), [...keys, key])
  } catch (error) {
    if (isAnswer(error)) await deleteKeyRow(host.db, site.id, key.fingerprint)
    throw error
  }
  announce(host, site)
  return presentKey(key)
}

/** A key that is not there is no error: it cannot sign in, which is what was asked for. */
export async function removeKey(host: Host, site: StoredSite, fingerprint: string): Promise<void> {
  const rest = (await keysOf(host.db, site.id)).filter((key) => key.fingerprint !== fingerprint)
  await apply(host, site, await accessOf(host.db, site.id), rest)
  await deleteKeyRow(host.db, site.id, fingerprint)
  announce(host, site)
}

export const presentKey = ({ fingerprint, text, comment, addedAt }: StoredKey): SshKey => ({
  fingerprint,
  type: text.split(' ')[0] ?? '',
  comment,
  added_at: addedAt,
})

function apply({ agent }: Host, site: StoredSite, access: StoredAccess, keys: readonly StoredKey[]) {
  return agent.call(accessApply, {
    id: site.id,
    enabled: access.enabled,
    password_hash: access.passwordHash,
    keys: keys.map(({ text }) => text),
  })
}

function announce({ events }: Host, site: StoredSite): void {
  events.publish('invalidate', { keys: [`sites/${site.id}/access`] }, { siteId: site.id, accountId: null })
}

const shown = (access: StoredAccess, place: { host: string; port: number; user: string }): SftpState => ({
  ...place,
  enabled: access.enabled,
  has_password: access.passwordHash !== null,
})

function parseKey(line: string): StoredKey {
  const parsed = parsePublicKey(line)
  if ('problem' in parsed) {
    throw new AppError('invalid_request', `The public key ${parsed.problem}`, { field: 'public_key' })
  }
  const { blob, text, comment } = parsed.key
  const fingerprint = createHash('sha256').update(blob).digest('base64url')
  return { fingerprint, text, comment, addedAt: new Date().toISOString() }
}
