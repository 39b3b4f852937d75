// The front page of a site, asked of its pool past the web server.
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Domain, PhpVersion } from '@reeve/contract/primitives.ts'
import type { SiteType } from '@reeve/contract/sites.ts'
import type { Paths } from '../paths.ts'
import { documentRoot } from '../web-server/render-vhost.ts'
import { askPool } from './fastcgi.ts'

export interface FrontPage {
  domain: Domain
  type: SiteType
  user: string
  version: PhpVersion
  httpsPort: number
}

const timeoutMs = 10_000

/** Headers and body as PHP sends them; less when the pool is not there. It has then compiled and made the page once. */
export function askFrontPage(
  paths: Paths,
  { domain, type, user, version, httpsPort }: FrontPage,
): Promise<string> {
  const root = realpathSync(documentRoot(paths, domain, type))
  // The names that the web server gives (web-server/render-locations.ts): compiled files are kept by their paths.
  const values = {
    SCRIPT_FILENAME: join(root, 'index.php'),
    SCRIPT_NAME: '/index.php',
    DOCUMENT_ROOT: root,
    REQUEST_URI: '/?reeve-verify',
    QUERY_STRING: 'reeve-verify',
    REQUEST_METHOD: 'GET',
    SERVER_PROTOCOL: 'HTTP/1.1',
    SERVER_NAME: domain,
    SERVER_PORT: String(httpsPort),
    REMOTE_ADDR: '127.0.0.1',
    HTTPS: 'on',
    HTTP_HOST: httpsPort === 443 ? domain : `${domain}:${httpsPort}`,
    REDIRECT_STATUS: '200',
  }
  return askPool(paths.fpmSocket(user, version), values, timeoutMs)
}
