// The first page of a site whose application its owner brings: says that the site works and where to put it.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SiteUser } from '../as-site-user.ts'
import { replaceFile } from '../managed-file.ts'
import type { SiteWork } from './apply.ts'
import { ensureDirectory, layoutOf, switchRelease } from './layout.ts'

/** Makes the first release of a php, laravel or static site, unless it has one. */
export function installPlaceholder(work: SiteWork): void {
  const { spec, user, registered } = work
  const layout = layoutOf(user.home)
  if (existsSync(layout.current)) return
  const release = join(layout.releases, registered.release)
  // The files are root's until the release is handed over, so nothing of the site runs in between.
  if (!existsSync(release)) mkdirSync(release, { mode: 0o755 })
  const webRoot = spec.type === 'laravel' ? join(release, 'public') : release
  ensureDirectory(webRoot, 0o755, 0, 0)
  const file = spec.type === 'static' ? 'index.html' : 'index.php'
  replaceFile(join(webRoot, file), renderPlaceholder(work), { mode: 0o644, ...owner(user) })
  ensureDirectory(webRoot, 0o755, user.uid, user.gid)
  ensureDirectory(release, 0o755, user.uid, user.gid)
  switchRelease(layout, registered.release)
}

const owner = (user: SiteUser) => ({ uid: user.uid, gid: user.gid })

export function renderPlaceholder(work: Pick<SiteWork, 'spec'>): string {
  const { domain, type } = work.spec
  const folder = type === 'laravel' ? 'current/public' : 'current'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${domain}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { display: grid; place-items: center; min-height: 100vh; margin: 0; padding: 1rem; box-sizing: border-box }
main { max-width: 32rem }
h1 { font-size: 1.25rem; margin: 0 0 .5rem }
p { margin: 0; opacity: .75 }
code { font-size: .875em }
</style>
</head>
<body>
<main>
<h1>${domain} is ready</h1>
<p>Put the site's files into <code>${folder}</code> to replace this page.</p>
</main>
</body>
</html>
`
}
