import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { operation } from './operation.ts'
import { SiteId, Timestamp } from './primitives.ts'
import { parsePublicKey } from './ssh-public-key.ts'

/** As `ssh-keygen -l` prints it, URL-safe: `SHA256:` is left out and base64 becomes base64url. */
export const KeyFingerprint = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'is not a key fingerprint')
export type KeyFingerprint = z.infer<typeof KeyFingerprint>

export const SshKey = z.strictObject({
  fingerprint: KeyFingerprint,
  type: z.string(),
  comment: z.string(),
  added_at: Timestamp,
})
export type SshKey = z.infer<typeof SshKey>

const SiteParams = z.strictObject({ id: SiteId })

/** One key as it stands in a file of keys: type and base64, no options, no comment. */
export const PublicKey = z.string().superRefine((text, context) => {
  const parsed = parsePublicKey(text)
  if ('key' in parsed && parsed.key.text === text) return
  context.addIssue({
    code: 'custom',
    message: 'problem' in parsed ? parsed.problem : 'may not hold more than the key',
  })
})

export const SftpState = z.object({
  enabled: z.boolean(),
  /** Where to connect. */
  host: z.string(),
  port: z.number(),
  user: z.string(),
  has_password: z.boolean(),
})
export type SftpState = z.infer<typeof SftpState>

export const getSftp = endpoint({
  name: 'getSftp',
  summary: "Whether the site's files can be reached over SFTP, and where",
  method: 'GET',
  path: '/api/sites/{id}/sftp',
  role: 'auth',
  scope: 'site',
  params: SiteParams,
  response: SftpState,
})

export const setSftp = endpoint({
  name: 'setSftp',
  summary: 'Turn SFTP on or off; turning it on makes a password, which is shown this once',
  method: 'POST',
  path: '/api/sites/{id}/sftp',
  role: 'manage',
  scope: 'site',
  params: SiteParams,
  body: z.strictObject({
    enabled: z.boolean(),
    /** Absent: one is made. null: keys only. */
    password: z.string().min(12).max(200).nullable().optional(),
  }),
  response: SftpState.extend({ password: z.string().nullable() }),
})

export const listSshKeys = endpoint({
  name: 'listSshKeys',
  summary: 'Keys that may sign in over SFTP as the site',
  method: 'GET',
  path: '/api/sites/{id}/ssh-keys',
  role: 'auth',
  scope: 'site',
  params: SiteParams,
  response: z.object({ keys: z.array(SshKey) }),
})

export const addSshKey = endpoint({
  name: 'addSshKey',
  summary: 'Add a public key in OpenSSH form',
  method: 'POST',
  path: '/api/sites/{id}/ssh-keys',
  role: 'manage',
  scope: 'site',
  params: SiteParams,
  body: z.strictObject({ public_key: z.string().min(1).max(16_000) }),
  response: SshKey,
  status: 201,
})

export const deleteSshKey = endpoint({
  name: 'deleteSshKey',
  summary: 'Remove a key; open sessions of it are ended',
  method: 'DELETE',
  path: '/api/sites/{id}/ssh-keys/{fingerprint}',
  role: 'manage',
  scope: 'site',
  params: SiteParams.extend({ fingerprint: KeyFingerprint }),
  status: 204,
})

/** crypt(5), made by the API: yescrypt is not in Node, SHA-512-crypt is understood by every sshd with PAM. */
const PasswordHash = z.string().regex(/^\$6\$(?:rounds=[0-9]{4,9}\$)?[./0-9A-Za-z]{1,16}\$[./0-9A-Za-z]{86}$/)

export const accessApply = operation({
  name: 'access.apply',
  summary: "Make this the site's SFTP access: on or off, its password, its keys",
  input: z.strictObject({
    id: SiteId,
    enabled: z.boolean(),
    /** null: keys only. */
    password_hash: PasswordHash.nullable(),
    keys: z.array(PublicKey).max(100),
  }),
  output: z.strictObject({ host: z.string(), port: z.number(), user: z.string() }),
})

export const accessDescribe = operation({
  name: 'access.describe',
  summary: "Where and as whom a site's files are reached over SFTP",
  input: z.strictObject({ id: SiteId }),
  output: z.strictObject({ host: z.string(), port: z.number(), user: z.string() }),
})
