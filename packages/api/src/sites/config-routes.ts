import { siteCheck, updateSiteConfig } from '@reeve/contract/site-config.ts'
import { type Api, route } from '../route.ts'
import { changeSite, refuseUnserved } from './change.ts'
import { checkConfig, checkSnippetRole, withConfig } from './config.ts'
import { checkDomains } from './domain-checks.ts'

/** nginx reads the whole tree of the server's sites. */
const checkDeadlineMs = 60_000

export function configRoutes(api: Api): void {
  const { context } = api

  route(api, updateSiteConfig, async ({ caller, body, scoped: { site } }) => {
    checkSnippetRole(caller, body)
    refuseUnserved(site)
    const after = withConfig(site.spec, body)
    checkConfig(after)
    await checkDomains(context.db, context.config, caller, after.domain, after.aliases, site.id)
    await context.agent.call(siteCheck, { site: after }, { deadlineMs: checkDeadlineMs })
    return await changeSite(context, caller, site, after)
  })
}
