import { siteCheck } from '@reeve/contract/site-config.ts'
import { siteApply, siteRemove } from '@reeve/contract/sites.ts'
import type { AgentContext } from '../context.ts'
import { type BoundOperation, bind } from '../dispatch.ts'
import { checkSite } from '../web-server/check-site.ts'
import { applySite } from './apply.ts'
import { removeSite } from './remove.ts'

export function siteOperations(context: AgentContext): BoundOperation[] {
  return [
    bind(siteApply, (input, progress) => applySite(context, input, progress)),
    bind(siteCheck, async ({ site }) => {
      await checkSite(context, site)
      return {}
    }),
    bind(siteRemove, async ({ id }, progress) => ({ removed: await removeSite(context, id, progress) })),
  ]
}
