import type { Migration } from '../migrate.ts'

export const siteLife: Migration = {
  version: 2,
  sql: `
create table cron_jobs (
  id text primary key,
  site_id text not null references sites (id) on delete cascade,
  schedule text not null,
  command text not null,
  enabled integer not null check (enabled in (0, 1)),
  timeout_s integer not null,
  created_at text not null
) strict;
create index cron_jobs_site on cron_jobs (site_id);

-- A site without a row has SFTP off.
create table site_access (
  site_id text primary key references sites (id) on delete cascade,
  enabled integer not null check (enabled in (0, 1)),
  password_hash text
) strict;

create table ssh_keys (
  site_id text not null references sites (id) on delete cascade,
  fingerprint text not null,
  public_key text not null,
  comment text not null,
  added_at text not null,
  primary key (site_id, fingerprint)
) strict, without rowid;
`,
}
