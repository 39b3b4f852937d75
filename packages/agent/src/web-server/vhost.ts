import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { profileCache } from '@reeve/contract/sites.ts'
import { certificateFiles } from '../certificates/pair.ts'
import type { AgentContext } from '../context.ts'
import { retireManagedFile, writeManagedFile } from '../managed-file.ts'
import { requestTimeoutS } from '../php/render-pool.ts'
import type { RegisteredSite } from '../registry.ts'
import type { SiteWork } from '../sites/apply.ts'
import { renderVhost } from './render-vhost.ts'

export async function applyVhost(context: AgentContext, work: SiteWork): Promise<void> {
  const { paths, registry } = context
  const { spec, user } = work
  const files = certificateFiles(paths.siteTls(spec.id))
  const limits = spec.php_limits
  const text = renderVhost(paths, {
    ...spec,
    user: user.user,
    php_socket: spec.php_version === null ? null : paths.fpmSocket(user.user, spec.php_version),
    stale_s: profileCache[spec.profile].stale_s,
    certificate: { chain: files.certificate, key: files.key },
    ports: context.ports,
    nginx: context.nginxFeatures,
    limits: { upload_max_mb: limits.upload_max_mb, request_timeout_s: requestTimeoutS(limits) },
  })
  ensurePageCacheParent(paths.pageCaches)
  const path = paths.vhost(spec.domain)
  await context.webServer.change(() => [
    writeManagedFile(registry, { path, text, mode: 0o640, renderer: 'web-server/vhost', siteId: spec.id }),
  ])
}

export async function removeVhost(context: AgentContext, site: RegisteredSite): Promise<void> {
  const path = context.paths.vhost(site.spec.domain)
  await context.webServer.change(() => [retireManagedFile(context.registry, path)])
}

function ensurePageCacheParent(path: string): void {
  if (existsSync(path)) return
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o711)
}
