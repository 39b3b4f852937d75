import { certificateIssue, certificateIssueSteps } from '@reeve/contract/certificates.ts'
import { AppError } from '@reeve/contract/errors.ts'
import { SiteId } from '@reeve/contract/primitives.ts'
import * as z from 'zod'
import { defineTask } from '../tasks/definition.ts'
import { storeCertificate, storeCertificateError } from './store.ts'

/** More than the agent gives itself, so that its own sentence arrives. */
const issueDeadlineMs = 5 * 60_000

/** The agent puts the old certificate back by itself, and goes on with its order when it is asked again. */
export const issueCertificateTask = defineTask({
  kind: 'certificate.issue',
  input: z.object({ id: SiteId }),
  steps: [
    {
      name: 'issue',
      substeps: () => certificateIssueSteps,
      async run({ call, db, taskId }, { id }) {
        try {
          await storeCertificate(db, id, await call(certificateIssue, { id, task: taskId }, issueDeadlineMs))
        } catch (error) {
          if (error instanceof AppError && error.code !== 'agent_unavailable') {
            await storeCertificateError(db, id, error.message)
          }
          throw error
        }
      },
    },
  ],
})

export const certificateTasks = [issueCertificateTask]
