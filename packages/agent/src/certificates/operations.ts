import { certificateIssue, certificateList } from '@reeve/contract/certificates.ts'
import type { AgentContext } from '../context.ts'
import { type BoundOperation, bind } from '../dispatch.ts'
import { certificateFacts } from './facts.ts'
import { issueCertificate } from './issue.ts'
import { pairInUse } from './pair.ts'

export function certificateOperations(context: AgentContext): BoundOperation[] {
  const { registry, paths } = context
  return [
    bind(certificateIssue, ({ id, task }, progress) => issueCertificate(context, id, progress, task)),
    bind(certificateList, async () => ({
      certificates: registry
        .listSites()
        .map(({ spec }) => spec.id)
        .filter((id) => pairInUse(paths.siteTls(id)) !== undefined)
        .map((site) => ({ site, ...certificateFacts(paths, site) })),
    })),
  ]
}
