// Rows as SQLite holds them. Times are RFC 3339 text in UTC, documents are JSON text.
import type { AccountRole } from '@reeve/contract/accounts.ts'
import type { SiteState } from '@reeve/contract/sites.ts'
import type { TaskState, TaskStep } from '@reeve/contract/tasks.ts'
import type { Generated, Kysely, Transaction } from 'kysely'

export interface Schema {
  accounts: {
    id: string
    email: string
    role: AccountRole
    password_hash: string
    /** Encrypted with the key file; set means two-factor authentication is on. */
    totp_seed: Uint8Array | null
    /** Encrypted seed of an enrolment that is not confirmed yet. */
    totp_pending: Uint8Array | null
    /** The last time step that was accepted; it only grows. */
    totp_last_step: Generated<number>
    created_at: string
  }
  recovery_codes: { account_id: string; code_sha256: string }
  sessions: {
    id: string
    token_sha256: string
    account_id: string
    address: string
    user_agent: string | null
    created_at: string
    expires_at: string
  }
  account_sites: { account_id: string; site_id: string }
  sites: {
    id: string
    /** SiteSpec of the contract. */
    document: string
    state: SiteState
    failure: string | null
    /** What the last `site.apply` answered, or null before the first one. */
    facts: string | null
    created_at: string
    updated_at: string
  }
  /** Every name a site answers to; the primary key keeps two sites from sharing one. */
  site_domains: { domain: string; site_id: string }
  tasks: {
    id: string
    kind: string
    site_id: string | null
    site_domain: string | null
    state: TaskState
    error: string | null
    actor: string
    actor_id: string | null
    /** JSON; wiped when the task ends because it may hold secrets. */
    input: string | null
    log_length: Generated<number>
    created_at: string
    started_at: string | null
    finished_at: string | null
  }
  task_steps: {
    task_id: string
    position: number
    name: string
    state: TaskStep['state']
    started_at: string | null
    finished_at: string | null
    /** JSON of the steps shown in its place, when the step has substeps. */
    shown: string | null
  }
  task_log: { task_id: string; offset: number; length: number; chunk: string }
  cron_jobs: {
    id: string
    site_id: string
    schedule: string
    command: string
    enabled: 0 | 1
    timeout_s: number
    created_at: string
  }
  site_access: { site_id: string; enabled: 0 | 1; password_hash: string | null }
  ssh_keys: { site_id: string; fingerprint: string; public_key: string; comment: string; added_at: string }
  /** Audit events on their way to the agent. */
  audit_outbox: { id: Generated<number>; event: string }
  settings: { key: string; value: string }
}

export type Database = Kysely<Schema>
export type DatabaseTransaction = Transaction<Schema>
export type DatabaseOrTransaction = Database | DatabaseTransaction
