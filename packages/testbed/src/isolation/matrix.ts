// The matrix of probes: what is asked for, of whom, and what came back.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { seenFromHere } from '../host.ts'
import { hostTargets } from './host-targets.ts'
import { callScript, type Planted, type Tenant } from './tenant.ts'

interface Attempt {
  reached: boolean
  detail: string
}

export interface Probe extends Attempt {
  name: string
  /** The same on the site's own thing; null where no site may have that. */
  control: Attempt | null
}

export interface Matrix {
  uid: number
  open_basedir: string
  probes: Probe[]
}

export interface Party {
  tenant: Tenant
  planted: Planted
}

interface Extra {
  blind_email: string
  lookalike_database: string
}

/** Runs every probe inside `from` against `to` and the panel. */
export function runProbes(from: Party, to: Party, extra: Extra): Promise<Matrix> {
  return callScript<Matrix>(from.tenant, 'probes.php', {
    own: target(from),
    other: target(to),
    host: { ...hostTargets(from.tenant, to.tenant), ...extra },
  })
}

function target({ tenant, planted }: Party) {
  const { host, home, user, uid, code, database, redis, fpmSocket } = tenant
  const wpConfig = join(home, 'shared/wp-config.php')
  return {
    user,
    domain: tenant.domain,
    connection: planted.connection,
    uid,
    home,
    database,
    redis,
    mark: user,
    key: uid,
    pid: planted.pid,
    fpm_socket: fpmSocket,
    script: join(code.dir, 'returns.php'),
    files: {
      ...(existsSync(seenFromHere(host, wpConfig)) ? { 'wp-config': wpConfig } : {}),
      uploads: join(home, 'shared/uploads/planted.txt'),
      exports: join(home, 'shared/exports/planted.txt'),
      session: join(home, `tmp/sessions/sess_session-${user}`),
      'temporary file': join(home, 'tmp/php/planted.txt'),
      'PHP error log': join(home, 'logs/php-error.log'),
      'front controller': join(home, 'current/index.php'),
    },
    folders: {
      home,
      current: join(home, 'current'),
      releases: join(home, 'releases'),
      uploads: join(home, 'shared/uploads'),
      exports: join(home, 'shared/exports'),
      sessions: join(home, 'tmp/sessions'),
      temporary: join(home, 'tmp/php'),
      logs: join(home, 'logs'),
    },
  }
}
