import { Page } from '../components/page.tsx'
import { strings } from '../lib/strings.ts'
import { LogReader } from './log-reader.tsx'

export function LogsPage() {
  return (
    <Page title={strings.logs.title} lead={strings.logs.lead}>
      <LogReader path="/api/logs" sources={strings.logs.serverSources} first="nginx-error" fileName="reeve" />
    </Page>
  )
}
