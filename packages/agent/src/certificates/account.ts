// Our account at an authority: a key that never leaves this server, made once for each directory.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import * as z from 'zod'
import { replaceFile } from '../managed-file.ts'
import type { Paths } from '../paths.ts'
import {
  type AccountKey,
  accountKeyFromPem,
  type Authority,
  AuthorityUrl,
  newAccountKey,
} from './authority.ts'
import type { AcmeSettings } from './settings.ts'

const StoredAccount = z.object({ directory: z.string(), key: z.string(), url: AuthorityUrl.nullable() })
type StoredAccount = z.infer<typeof StoredAccount>

/** The account, made when it is new. Asking for it accepts the authority's terms, as the guide says. */
export async function ensureAccount(
  authority: Authority,
  paths: Paths,
  settings: AcmeSettings,
): Promise<AccountKey> {
  const stored = readAccount(paths, settings) ?? storeNewKey(paths, settings)
  if (stored.url !== null) return { key: accountKeyFromPem(stored.key), url: stored.url }
  return registerAccount(authority, paths, settings)
}

/** Tells the authority our key again: it answers with the account it has for it, or a new one. */
export async function registerAccount(
  authority: Authority,
  paths: Paths,
  settings: AcmeSettings,
): Promise<AccountKey> {
  if (authority.directory.meta?.externalAccountRequired) {
    throw new AppError(
      'refused',
      `${authority.name} only serves accounts that were opened with it by hand, which Reeve cannot use. Choose another authority with REEVE_ACME_DIRECTORY.`,
    )
  }
  const stored = readAccount(paths, settings) ?? storeNewKey(paths, settings)
  const key = accountKeyFromPem(stored.key)
  const answer = await authority.post({ key }, authority.directory.newAccount, {
    termsOfServiceAgreed: true,
    ...(settings.email === undefined ? {} : { contact: [`mailto:${settings.email}`] }),
  })
  const url = AuthorityUrl.safeParse(answer.headers.location)
  if (!url.success) throw new AppError('internal', `${authority.name} did not say where our account is.`)
  store(paths, { ...stored, url: url.data })
  return { key, url: url.data }
}

const accountPath = (paths: Paths, directory: string) =>
  paths.acmeAccount(createHash('sha256').update(directory).digest('hex').slice(0, 16))

/** The account, unless none was made yet. */
export function readAccount(paths: Paths, { directory }: AcmeSettings): StoredAccount | undefined {
  const path = accountPath(paths, directory)
  return existsSync(path) ? StoredAccount.parse(JSON.parse(readFileSync(path, 'utf8'))) : undefined
}

function storeNewKey(paths: Paths, { directory }: AcmeSettings): StoredAccount {
  const key = newAccountKey().export({ type: 'pkcs8', format: 'pem' }).toString()
  return store(paths, { directory, key, url: null })
}

function store(paths: Paths, account: StoredAccount): StoredAccount {
  const path = accountPath(paths, account.directory)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  replaceFile(path, `${JSON.stringify(account)}\n`, { mode: 0o600 })
  return account
}
