// Every operation the agent knows. What is not listed here is refused by its dispatcher.
import { auditAppend, auditRead, auditVerify } from './audit.ts'
import { cachePurge, cacheStats, cacheWarm, connectorList, connectorRotate } from './cache.ts'
import { certificateIssue, certificateList } from './certificates.ts'
import { driftList, driftResolve } from './drift.ts'
import type { OperationDefinition } from './operation.ts'
import { accessApply, accessDescribe } from './access.ts'
import { cronApply, cronRun, cronState } from './cron.ts'
import { logsServer, logsSite } from './logs.ts'
import { siteCheck } from './site-config.ts'
import { siteApply, siteRemove } from './sites.ts'
import { systemDescribe } from './system.ts'
import { timerRun } from './timers.ts'

export const operations: readonly OperationDefinition[] = [
  siteApply,
  siteCheck,
  siteRemove,
  systemDescribe,
  driftList,
  driftResolve,
  timerRun,
  cachePurge,
  cacheWarm,
  cacheStats,
  connectorRotate,
  connectorList,
  certificateIssue,
  certificateList,
  accessApply,
  accessDescribe,
  cronApply,
  cronRun,
  cronState,
  logsServer,
  logsSite,
  auditAppend,
  auditRead,
  auditVerify,
]
