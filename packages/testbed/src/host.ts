// What an end-to-end suite needs of a Reeve that runs, whether it is the embedded run or an installed server.
// `reeve.ts` starts the one and `installed.ts` the other; `suites/` holds what is true of both.
import type { Panel } from './panel.ts'

/** Where something answers. */
export interface Door {
  address: string
  port: number
}

export interface Host {
  /** Its files as this machine sees them. On an installed server another path after each boot: read it when needed. */
  readonly root: string
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
}

/** Address of a site for a browser. */
export const siteOrigin = ({ https }: Host, domain: string) =>
  `https://${domain}${https.port === 443 ? '' : `:${https.port}`}`

export const services = ['nginx', 'php', 'mariadb', 'redis'] as const
export type Service = (typeof services)[number]

/** The administrator that tests set a panel up with. */
export const administrator = { email: 'owner@example.com', password: 'correct horse battery staple' }
