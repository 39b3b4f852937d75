import { isAbsolute } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import { type AcmeSettings, readAcmeSettings } from './certificates/settings.ts'

/** Where the panel is published by the web server of an installed server. */
export interface PanelAddress {
  domain: string
  /** Port of the API on 127.0.0.1. */
  port: number
  /** 64 hexadecimal digits that only the API and the web server know. */
  proxySecret: string
}

export interface AgentConfig {
  /** Prefix of every path the agent writes; `/` on an installed server. */
  root: string
  httpPort: number
  httpsPort: number
  /** Port of the API on 127.0.0.1. */
  apiPort: number
  /** Of the embedded run's own SFTP server; an installed one has the port of its sshd. */
  sftpPort: number
  /** Folder with the runner, connector and drop-in that the build lays beside the program. */
  cmsParts: string
  /** A folder or archive to take WordPress from instead of the official archive. */
  wordpressSource: string | undefined
  /** A folder or archive to take WooCommerce from instead of the official archive. */
  woocommerceSource: string | undefined
  /** The certificate authority. */
  acme: AcmeSettings
  panel?: PanelAddress
}

/** The only place where the agent reads its environment. */
export function readConfig(env: NodeJS.ProcessEnv): AgentConfig {
  const root = env['REEVE_ROOT'] ?? '/'
  if (!isAbsolute(root))
    throw new AppError('invalid_request', `REEVE_ROOT must be an absolute path, not "${root}".`)
  const cmsParts = env['REEVE_CMS_PARTS']
  if (!cmsParts)
    throw new AppError('invalid_request', 'REEVE_CMS_PARTS must name the folder of the WordPress parts.')
  const panel = panelAddress(env)
  return {
    root,
    ...(panel === undefined ? {} : { panel }),
    cmsParts,
    httpPort: port(env, 'REEVE_HTTP_PORT', 80),
    httpsPort: port(env, 'REEVE_HTTPS_PORT', 443),
    apiPort: port(env, 'REEVE_PORT', 5252),
    sftpPort: port(env, 'REEVE_SFTP_PORT', 2222),
    wordpressSource: env['REEVE_WORDPRESS_SOURCE'] || undefined,
    woocommerceSource: env['REEVE_WOOCOMMERCE_SOURCE'] || undefined,
    acme: readAcmeSettings(env),
  }
}

function panelAddress(env: NodeJS.ProcessEnv): PanelAddress | undefined {
  const domain = env['REEVE_PANEL_DOMAIN']
  const proxySecret = env['REEVE_PROXY_SECRET']
  if (!domain || !proxySecret) return undefined
  return { domain, proxySecret, port: port(env, 'REEVE_PORT', 5252) }
}

function port(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const text = env[name]
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= 65_535) return value
  throw new AppError('invalid_request', `${name} must be a port between 1 and 65535, not "${text}".`)
}
