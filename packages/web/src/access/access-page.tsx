import { useQuery } from '@tanstack/react-query'
import { Problem } from '../components/page.tsx'
import { SkeletonCards } from '../components/skeleton.tsx'
import { useSite } from '../sites/site-context.ts'
import { sftpQuery, sshKeysQuery } from './queries.ts'
import { SftpSection } from './sftp-section.tsx'
import { SshKeysSection } from './ssh-keys-section.tsx'

export function AccessPage() {
  const site = useSite()
  const sftp = useQuery(sftpQuery(site.id))
  const keys = useQuery(sshKeysQuery(site.id))
  if (!sftp.data || !keys.data) {
    const error = sftp.error ?? keys.error
    if (!error) return <SkeletonCards cards={2} />
    return <Problem error={error} onRetry={() => void Promise.all([sftp.refetch(), keys.refetch()])} />
  }
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <SftpSection siteId={site.id} sftp={sftp.data} />
      <SshKeysSection siteId={site.id} keys={keys.data} isOn={sftp.data.enabled} />
    </div>
  )
}
