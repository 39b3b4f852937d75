// Every endpoint of the API. The server refuses to start when one of them has no handler.
import {
  beginTwoFactor,
  changePassword,
  completeSetup,
  confirmTwoFactor,
  createUser,
  deleteUser,
  disableTwoFactor,
  getBootstrap,
  getMe,
  listSessions,
  listUsers,
  login,
  logout,
  revokeSession,
  updateUser,
} from './accounts.ts'
import { listAudit } from './audit.ts'
import { connectorPurge, getCacheStats, purgeCache, rotateConnectorToken, warmCache } from './cache.ts'
import { issueCertificate } from './certificates.ts'
import { listDrift, resolveDrift } from './drift.ts'
import type { EndpointDefinition } from './endpoint.ts'
import { streamEvents } from './events.ts'
import { updateSitePhp } from './php.ts'
import { addSshKey, deleteSshKey, getSftp, listSshKeys, setSftp } from './access.ts'
import { createCronJob, deleteCronJob, listCronJobs, runCronJob } from './cron.ts'
import { getServerLog, getSiteLog } from './logs.ts'
import { updateSiteConfig } from './site-config.ts'
import { createSite, deleteSite, getSite, listSites } from './sites.ts'
import { getCapacity, getHealth, getOpenApi } from './system.ts'
import { getTask, listTasks } from './tasks.ts'

export const endpoints: readonly EndpointDefinition[] = [
  getHealth,
  getBootstrap,
  completeSetup,
  login,
  logout,
  getMe,
  changePassword,
  beginTwoFactor,
  confirmTwoFactor,
  disableTwoFactor,
  listSessions,
  revokeSession,
  listUsers,
  createUser,
  updateUser,
  deleteUser,
  listSites,
  createSite,
  getSite,
  deleteSite,
  issueCertificate,
  updateSitePhp,
  updateSiteConfig,
  purgeCache,
  warmCache,
  getCacheStats,
  connectorPurge,
  rotateConnectorToken,
  listTasks,
  getTask,
  getServerLog,
  getSiteLog,
  listCronJobs,
  createCronJob,
  deleteCronJob,
  runCronJob,
  getSftp,
  setSftp,
  listSshKeys,
  addSshKey,
  deleteSshKey,
  streamEvents,
  getOpenApi,
  getCapacity,
  listDrift,
  resolveDrift,
  listAudit,
]
