// A site that is enough of one to run commands as: directories and a registry row, no account, no service.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SiteSpec } from '@reeve/contract/sites.ts'
import { removeRootTree } from '../cms/root-tree.ts'
import { type Paths, pathsBelow } from '../paths.ts'
import { installedPhpVersions } from '../php/versions.ts'
import { openRegistry, type RegisteredSite, type Registry } from '../registry.ts'
import { layoutOf } from '../sites/layout.ts'
import { siteUserOf } from '../sites/user.ts'

/** The end of the range of site users, where no panel of this machine gets soon. */
const firstTestNumber = 39_900

export interface TestServer extends Disposable {
  paths: Paths
  registry: Registry
  addSite(domain: string): RegisteredSite
}

export function makeTestServer(): TestServer {
  const root = mkdtempSync('/var/tmp/reeve-cron-')
  chmodSync(root, 0o755)
  const paths = pathsBelow(root)
  for (const folder of [paths.agentState, paths.sites, paths.cores, paths.cmsParts]) {
    mkdirSync(folder, { recursive: true })
  }
  openRegistry(paths.registry).close()
  const db = new DatabaseSync(paths.registry)
  const number = firstTestNumber + Math.floor(Math.random() * 90)
  db.prepare("INSERT INTO counters VALUES ('site number', ?)").run(number)
  db.close()
  const registry = openRegistry(paths.registry)
  return {
    paths,
    registry,
    addSite: (domain) => addSite(paths, registry, domain),
    [Symbol.dispose]() {
      registry.close()
      removeRootTree(root)
    },
  }
}

let made = 0

function addSite(paths: Paths, registry: Registry, domain: string): RegisteredSite {
  const id = `s${'abcdefghijklmnopqrstuvwxyz'.charAt(made++)}${'a'.repeat(14)}`
  const spec = SiteSpec.parse({
    ...{ id, domain, aliases: [], type: 'php', profile: 'balanced', title: domain },
    ...{ admin_email: null, admin_user: null, object_cache: false, php_workers: null, proxy_upstream: null },
    ...{ php_version: installedPhpVersions()[0], cache: { enabled: true, ttl_s: 600 } },
  })
  const site = registry.reserveSite(spec, () => false)
  const { home, uid } = siteUserOf(paths, site)
  const layout = layoutOf(home)
  const release = join(layout.releases, 'one')
  const owned = [release, join(layout.tmp, 'php'), layout.logs]
  for (const folder of owned) {
    mkdirSync(folder, { recursive: true })
    chownSync(folder, uid, uid)
  }
  for (const folder of [home, dirname(release), layout.tmp]) chmodSync(folder, 0o755)
  symlinkSync('releases/one', layout.current)
  return site
}
