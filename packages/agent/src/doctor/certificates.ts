// The certificates of the panel and of every site.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { SiteId } from '@reeve/contract/primitives.ts'
import { certificateFiles } from '../certificates/pair.ts'
import { type Check, failed, type Finding, note, ok } from './check.ts'
import type { Patient } from './patient.ts'
import { listedSites } from './state.ts'

const dayMs = 24 * 3600 * 1000
/** Renewal begins earlier than this, so something keeps it from working. */
const noteDays = 14
const failDays = 3

export function certificateChecks({ paths }: Patient): Check[] {
  return [
    {
      name: 'certificates',
      why: 'Browsers refuse a site whose certificate has ended.',
      examine: () => {
        const sites = listedSites(paths).map(({ id, domain }) => ({
          name: domain,
          directory: paths.siteTls(id as SiteId), // only the agent writes the registry
        }))
        const panel = { name: 'the panel', directory: paths.panelTls }
        return [panel, ...sites].flatMap(({ name, directory }) => certificateOf(name, directory))
      },
    },
  ]
}

function certificateOf(name: string, directory: string): Finding[] {
  const files = certificateFiles(directory)
  const fix = 'systemctl start reeve-certificates.service; journalctl -u reeve-agent -n 50'
  try {
    const certificate = new X509Certificate(readFileSync(files.certificate))
    if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(files.key)))) {
      return [failed(`the certificate of ${name} and its key do not belong together`, fix)]
    }
    const days = Math.floor((certificate.validToDate.getTime() - Date.now()) / dayMs)
    if (days < 0) return [failed(`the certificate of ${name} ended ${-days} days ago`, fix)]
    const what = `the certificate of ${name} ends in ${days} days`
    if (days < failDays) return [failed(what, fix)]
    return [days < noteDays ? note(what, fix) : ok(what)]
  } catch (error) {
    // An embedded run has no panel certificate: nginx does not publish it.
    if (isMissing(error) && name === 'the panel') return []
    return [failed(`the certificate of ${name} cannot be read: ${String(error)}`, fix)]
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
