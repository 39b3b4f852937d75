// Asks nginx whether it would take a site's new vhost, in a copy of the whole tree: what is served stays untouched.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import { redirectedNames } from '@reeve/contract/site-config.ts'
import type { SiteSpec } from '@reeve/contract/sites.ts'
import { currentCertificate } from '../certificates/facts.ts'
import { isSelfSigned } from '../certificates/self-signed.ts'
import { run } from '../command.ts'
import type { AgentContext } from '../context.ts'
import { planManagedFile } from '../managed-file.ts'
import type { Paths } from '../paths.ts'
import { removeTree } from '../sites/layout.ts'
import { siteUserOf } from '../sites/user.ts'
import { snippetEnd, snippetMarker } from './render-settings.ts'
import { passwordFile, vhostFile } from './vhost.ts'

/** Throws `refused` with nginx's own words; nothing on the server changes. */
export async function checkSite(context: AgentContext, wanted: SiteSpec): Promise<void> {
  const { paths, registry } = context
  const registered = registry.requireSite(wanted.id)
  const spec = { ...wanted, php_version: wanted.php_version ?? registered.spec.php_version }
  checkCertificate(paths, spec)
  const vhost = vhostFile(context, { spec, user: siteUserOf(paths, registered) })
  const passwords = passwordFile(context, spec)
  if (passwords) planManagedFile(registry, passwords)
  const text = planManagedFile(registry, vhost)
  const candidate = text === undefined ? undefined : { path: vhost.path, text }
  await context.hostLock.hold('nginx check', () => testTree(paths, candidate))
}

/** A browser must trust the name it comes by before it can be sent to the other one. */
function checkCertificate(paths: Paths, spec: SiteSpec): void {
  const certificate = currentCertificate(paths, spec.id)
  // One of our own is made anew for every name.
  if (isSelfSigned(certificate)) return
  const uncovered = redirectedNames(spec)
    .flatMap(({ from, to }) => [from, to])
    .find((name) => certificate.checkHost(name) === undefined)
  if (uncovered === undefined) return
  throw new AppError(
    'refused',
    `The certificate does not cover ${uncovered}, so visitors of it could not be redirected; get one that does first.`,
    { field: 'www_redirect' },
  )
}

/** Tests the tree as it would be with this file, or with every file as it is. */
export async function testTree(paths: Paths, candidate?: { path: string; text: string }): Promise<void> {
  const folder = join(paths.agentState, 'nginx-check')
  await removeTree(folder)
  mkdirSync(join(folder, 'sites'), { recursive: true, mode: 0o700 })
  try {
    copySites(paths, join(folder, 'sites'))
    if (candidate) writeFileSync(join(folder, 'sites', basename(candidate.path)), candidate.text)
    const main = join(folder, 'nginx.conf')
    writeFileSync(main, mainFor(paths, folder))
    const { code, stderr } = await run('nginx', ['-t', '-e', 'stderr', '-c', main], {
      timeoutMs: 30_000,
      accept: [0, 1],
    })
    if (code !== 0) throw refusal(stderr.replaceAll(join(folder, 'sites'), paths.nginxSites), candidate)
  } finally {
    await removeTree(folder)
  }
}

function copySites(paths: Paths, to: string): void {
  for (const name of readdirSync(paths.nginxSites)) {
    const path = join(paths.nginxSites, name)
    // A site may be removed meanwhile; a leading dot is a file that is being written.
    if (!name.startsWith('.') && existsSync(path)) writeFileSync(join(to, name), readFileSync(path))
  }
}

/** The main file with the copied sites, and a log of its own: a line in the real one would look like a failed reload. */
function mainFor(paths: Paths, folder: string): string {
  const text = readFileSync(paths.nginxConf, 'utf8')
  const main = text
    .replaceAll(`${paths.nginxSites}/`, `${join(folder, 'sites')}/`)
    .replaceAll(`error_log ${paths.nginxErrorLog}`, `error_log ${join(folder, 'error.log')}`)
  if (main !== text) return main
  throw new AppError('internal', `${paths.nginxConf} does not include ${paths.nginxSites}; restore it first.`)
}

/** Takes nginx's first emergency apart: a line of the snippet is what the person knows, not one of the file. */
export function refusal(stderr: string, candidate?: { path: string; text: string }): AppError {
  const said = /\[emerg\] (?:[0-9]+#[0-9]+: )?(.*)/.exec(stderr)?.[1] ?? stderr.trim()
  const [, problem = said, path, number] = /^(.*) in (\/\S+):(\d+)$/.exec(said) ?? []
  if (!candidate || path !== candidate.path) {
    return new AppError('refused', `nginx refused the configuration: ${said}.`)
  }
  const lines = candidate.text.split('\n')
  const at = Number(number) - 1
  const text = (lines[at] ?? '').trim()
  const marker = lines.findIndex((line) => line.trim() === snippetMarker)
  const end = lines.findIndex((line) => line.trim() === snippetEnd)
  if (marker === -1 || at <= marker || at > end) {
    return new AppError('refused', `nginx refused the configuration: ${problem} in "${text}".`)
  }
  const line = at - marker
  return new AppError('refused', `nginx refused line ${line} of the snippet, "${text}": ${problem}.`, {
    field: 'nginx_snippet',
    line,
  })
}
