// Rotation of logs: daily, fourteen are kept, compressed. Copied and truncated, so that the writer keeps its file.
import { pathValue, userValue } from '../render-values.ts'

const keeping = `  daily
  rotate 14
  compress
  missingok
  notifempty
  copytruncate
`

/** For logs in directories that are root's. A `*` stands for what lies in a directory. */
export function renderLogRotation(patterns: readonly string[]): string {
  const lines = patterns.map((pattern) => {
    pathValue('log path', pattern.replaceAll('*', '-'))
    return `${pattern}\n`
  })
  return `${lines.join('')}{
${keeping}  su root root
}
`
}

/** As the site's user: in a directory that is the site's, root would follow what the site puts there. */
export function renderSiteLogRotation(site: { user: string; logs: readonly string[] }): string {
  const user = userValue('site user', site.user)
  const lines = site.logs.map((path) => `${pathValue('log path', path)}\n`)
  return `${lines.join('')}{
${keeping}  su ${user} ${user}
}
`
}

/** What logrotate is started with when embedded; an installed server has the distribution's own file. */
export function renderLogrotateConf(folder: string): string {
  return `include ${pathValue('folder of rotation files', folder)}\n`
}
