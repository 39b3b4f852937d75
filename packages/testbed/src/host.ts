// What an end-to-end suite needs of a Reeve that runs, whether it is the embedded run or an installed server.
// `reeve.ts` starts the one and `installed.ts` the other; `suites/` holds what is true of both.
import { execFileSync } from 'node:child_process'
import { join, relative } from 'node:path'
import type { Panel } from './panel.ts'

export interface Person {
  email: string
  password: string
}

/** Where something answers. */
export interface Door {
  address: string
  port: number
}

export interface Host {
  /** Its files as this machine sees them. On an installed server another path after each boot: read it when needed. */
  readonly root: string
  /** The same as its own programs see it: `/` on an installed server. */
  readonly ownRoot: string
  /** Where visitors reach its sites. */
  http: Door
  https: Door
  /** Origin of the panel for a browser. */
  origin: string
  /** Where the API listens on the host itself. */
  port: number
  /** Pid of a process of the panel, as this machine knows it. Throws while it does not run. */
  pid(role: 'agent' | 'api'): number
  /** Pid of the first process of a service, as this machine knows it. */
  servicePid(service: Service): number
  /** Signed in as the administrator of the setup, which is done on first use. */
  panel(): Promise<Panel>
  /** A session of its own, of the administrator unless somebody else is named. */
  signIn(person?: Person): Promise<Panel>
  /** What the panel has printed since it was started. */
  printed(): Promise<string>
  /** Words that start a program among those of the server, as this user. */
  asUser(uid: number): readonly string[]
}

/** What `path`, as the server's own programs know it, is for this machine. */
export const seenFromHere = (host: Host, path: string) => join(host.root, relative(host.ownRoot, path))

/** Runs a program of the server as this user and answers what it wrote; throws with its complaint. */
export function runOn(
  host: Host,
  uid: number,
  command: readonly string[],
  input: string | Buffer = '',
): string {
  const [program = '', ...args] = [...host.asUser(uid), ...command]
  return execFileSync(program, args, { input, encoding: 'utf8', stdio: 'pipe', timeout: 30_000 })
}

/** Address of a site for a browser. */
export const siteOrigin = ({ https }: Host, domain: string) =>
  `https://${domain}${https.port === 443 ? '' : `:${https.port}`}`

export const services = ['nginx', 'php', 'mariadb', 'redis'] as const
export type Service = (typeof services)[number]

/** The administrator that tests set a panel up with. */
export const administrator: Person = { email: 'owner@example.com', password: 'correct horse battery staple' }
