// Every dependency of the API, built once and passed on.
import type { FastifyRequest } from 'fastify'
import { createPasswordHasher, type PasswordHasher } from './accounts/passwords.ts'
import { openSecrets, type Secrets } from './accounts/secrets.ts'
import { findCallerBySession } from './accounts/sessions.ts'
import { ensureSetupToken } from './accounts/setup-token.ts'
import { countAccounts } from './accounts/accounts.ts'
import { createLoginThrottle, type LoginThrottle } from './accounts/throttle.ts'
import { type AgentClient, createAgentClient } from './agent-client.ts'
import { type AuditOutbox, createAuditOutbox } from './audit/outbox.ts'
import { cacheTasks } from './cache/tasks.ts'
import { certificateTasks } from './certificates/tasks.ts'
import type { Config } from './config.ts'
import { openDatabase } from './db/open.ts'
import type { Database } from './db/types.ts'
import { startUpkeep } from './db/upkeep.ts'
import { createEventHub, type EventHub } from './events.ts'
import { describeError, log } from './log.ts'
import { type Capacity, createCapacity } from './system/capacity.ts'
import { siteTasks } from './sites/tasks.ts'
import { createTaskRunner, type TaskRunner } from './tasks/runner.ts'

export interface Context extends AsyncDisposable {
  readonly config: Config
  readonly db: Database
  readonly agent: AgentClient
  readonly events: EventHub
  readonly tasks: TaskRunner
  readonly audit: AuditOutbox
  readonly passwords: PasswordHasher
  readonly secrets: Secrets
  readonly throttle: LoginThrottle
  readonly capacity: Capacity
  /** The panel's origin as the request names it; filled in by the server once it listens. */
  originOf: (request: FastifyRequest) => string
}

export async function createContext(config: Config): Promise<Context> {
  await using opening = new AsyncDisposableStack()
  const { db, raw } = opening.use(await openDatabase(config.paths.database, config.paths.backups))
  const agent = createAgentClient(config.paths.agentSocket)
  const secrets = openSecrets(config.paths.secretKey)
  await ensureSetupToken(config.paths.setupToken, (await countAccounts(db)) > 0)
  opening.use(startUpkeep(db, raw, config.paths.backups, log))
  const audit = opening.use(createAuditOutbox(db, agent, log))
  const events = opening.use(
    createEventHub(
      (sessionId) => findCallerBySession(db, sessionId),
      (error) => log('event streams not rechecked', { error: describeError(error) }),
    ),
  )
  const tasks = opening.use(
    createTaskRunner({ db, agent, events, log }, [...siteTasks, ...certificateTasks, ...cacheTasks]),
  )
  const owned = opening.move()
  return {
    config,
    db,
    agent,
    events,
    tasks,
    audit,
    passwords: createPasswordHasher(),
    secrets,
    throttle: createLoginThrottle(),
    capacity: createCapacity(agent),
    originOf: () => {
      throw new Error('The server does not listen yet.')
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
