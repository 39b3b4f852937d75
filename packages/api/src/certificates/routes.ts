import { issueCertificate } from '@reeve/contract/certificates.ts'
import { type Api, route } from '../route.ts'
import { refuseUnserved, taskFor } from '../sites/change.ts'
import { startTask } from '../tasks/start.ts'
import { issueCertificateTask } from './tasks.ts'

export function certificateRoutes(api: Api): void {
  const { context } = api

  route(api, issueCertificate, async ({ caller, scoped: { site } }) => {
    refuseUnserved(site)
    await context.agent.ping()
    const task = taskFor(issueCertificateTask, { id: site.id }, site.spec, caller)
    return { task: await startTask(context, task, async () => {}) }
  })
}
