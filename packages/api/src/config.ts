import { hostname } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'

export interface Config {
  readonly host: string
  readonly port: number
  /** Port on which the sites answer HTTPS; it shows in a site's address unless it is 443. */
  readonly httpsPort: number
  /** Folder of the built user interface. */
  readonly webFolder: string
  /** Name under which the web server on this host publishes the panel. */
  readonly panelDomain: string | null
  /** What our own proxy sends in `x-reeve-proxy`; only then is its forwarding header believed. */
  readonly proxySecret: string | null
  readonly hostname: string
  readonly paths: {
    readonly state: string
    readonly database: string
    readonly backups: string
    readonly setupToken: string
    readonly secretKey: string
    readonly agentSocket: string
  }
}

/** The only place where the API reads its environment. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const root = resolve(env['REEVE_ROOT'] || '.reeve')
  const state = join(root, 'var/lib/reeve')
  return {
    host: env['REEVE_HOST'] || '127.0.0.1',
    port: port(env, 'REEVE_PORT', 5252),
    httpsPort: port(env, 'REEVE_HTTPS_PORT', 443),
    webFolder: webFolder(env['REEVE_WEB']),
    panelDomain: env['REEVE_PANEL_DOMAIN'] || null,
    proxySecret: env['REEVE_PROXY_SECRET'] || null,
    hostname: hostname(),
    paths: {
      state,
      database: join(state, 'state.db'),
      backups: join(state, 'backups'),
      setupToken: join(state, 'setup-token'),
      secretKey: join(state, 'secret.key'),
      agentSocket: join(root, 'run/reeve/agent.sock'),
    },
  }
}

/** The build lays the interface beside the program. */
function webFolder(given: string | undefined): string {
  if (given) return resolve(given)
  const program = process.argv[1]
  const besideProgram = program && isAbsolute(program) && program.endsWith('.cjs')
  return besideProgram ? join(dirname(program), 'web') : resolve('dist/web')
}

function port(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const text = env[name]
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value
  throw new AppError('invalid_request', `${name} must be a port between 0 and 65535, not "${text}".`)
}
