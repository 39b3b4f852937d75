import type { Migration } from '../migrate.ts'

export const foundations: Migration = {
  version: 1,
  sql: `
create table accounts (
  id text primary key,
  email text not null collate nocase unique,
  role text not null check (role in ('admin', 'operator', 'readonly')),
  password_hash text not null,
  totp_seed blob,
  totp_pending blob,
  totp_last_step integer not null default 0,
  created_at text not null
) strict;

create table recovery_codes (
  account_id text not null references accounts (id) on delete cascade,
  code_sha256 text not null,
  primary key (account_id, code_sha256)
) strict, without rowid;

create table sessions (
  id text primary key,
  token_sha256 text not null unique,
  account_id text not null references accounts (id) on delete cascade,
  address text not null,
  user_agent text,
  created_at text not null,
  expires_at text not null
) strict;
create index sessions_account on sessions (account_id);

create table sites (
  id text primary key,
  document text not null,
  state text not null check (state in ('creating', 'active', 'working', 'deleting', 'failed')),
  failure text,
  facts text,
  created_at text not null,
  updated_at text not null
) strict;

create table site_domains (
  domain text primary key,
  site_id text not null references sites (id) on delete cascade
) strict, without rowid;
create index site_domains_site on site_domains (site_id);

create table account_sites (
  account_id text not null references accounts (id) on delete cascade,
  site_id text not null references sites (id) on delete cascade,
  primary key (account_id, site_id)
) strict, without rowid;
create index account_sites_site on account_sites (site_id);

create table tasks (
  id text primary key,
  kind text not null,
  site_id text,
  site_domain text,
  state text not null check (state in ('queued', 'running', 'undoing', 'succeeded', 'failed')),
  error text,
  actor text not null,
  actor_id text,
  input text,
  log_length integer not null default 0,
  created_at text not null,
  started_at text,
  finished_at text
) strict;
-- One running task per site: the second insert fails.
create unique index tasks_one_per_site on tasks (site_id)
  where site_id is not null and state in ('queued', 'running', 'undoing');
create index tasks_created on tasks (created_at);

create table task_steps (
  task_id text not null references tasks (id) on delete cascade,
  position integer not null,
  name text not null,
  state text not null check (state in ('pending', 'running', 'succeeded', 'failed', 'undone')),
  started_at text,
  finished_at text,
  shown text,
  primary key (task_id, position)
) strict, without rowid;

create table task_log (
  task_id text not null references tasks (id) on delete cascade,
  offset integer not null,
  length integer not null,
  chunk text not null,
  primary key (task_id, offset)
) strict, without rowid;

create table audit_outbox (
  id integer primary key autoincrement,
  event text not null
) strict;

create table settings (
  key text primary key,
  value text not null
) strict, without rowid;
`,
}
