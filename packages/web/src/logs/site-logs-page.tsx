import { strings } from '../lib/strings.ts'
import { useSite } from '../sites/site-context.ts'
import { usesPhp } from '../sites/type-facts.ts'
import { LogReader } from './log-reader.tsx'

export function SiteLogsPage() {
  const site = useSite()
  const { php, ...plain } = strings.logs.siteSources
  const sources = usesPhp(site.type) ? { ...plain, php } : plain
  return (
    <LogReader path={`/api/sites/${site.id}/logs`} sources={sources} first="error" fileName={site.domain} />
  )
}
