import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type LogLines, logsServer, logsSite, type SiteLogSource } from '@reeve/contract/logs.ts'
import type { SiteId } from '@reeve/contract/primitives.ts'
import type { AgentContext } from '../context.ts'
import { type BoundOperation, bind } from '../dispatch.ts'
import { layoutOf } from '../sites/layout.ts'
import { siteUserOf } from '../sites/user.ts'
import { tailJournal } from './journal.ts'
import {
  type FileLog,
  type JournalLog,
  type ServerLogs,
  type SiteFileLog,
  withLogFile,
  withSiteLogFile,
} from './source.ts'
import { noLines, tail, type TailRequest } from './tail.ts'

export function logOperations(
  context: Pick<AgentContext, 'paths' | 'registry'>,
  serverLogs: ServerLogs,
): BoundOperation[] {
  return [
    bind(logsServer, ({ source, ...request }) => readLog(serverLogs[source], request)),
    bind(logsSite, ({ id, source, ...request }) => readLog(siteLog(context, id, source), request)),
  ]
}

function siteLog(
  { paths, registry }: Pick<AgentContext, 'paths' | 'registry'>,
  id: SiteId,
  source: SiteLogSource,
): FileLog | SiteFileLog {
  const site = siteUserOf(paths, registry.requireSite(id))
  if (source === 'php')
    return { kind: 'site-file', path: join(layoutOf(site.home).logs, 'php-error.log'), site }
  return { kind: 'file', paths: [join(paths.siteLogs(site.domain), `${source}.log`)] }
}

async function readLog(log: FileLog | JournalLog | SiteFileLog, request: TailRequest): Promise<LogLines> {
  switch (log.kind) {
    case 'journal':
      return tailJournal(log.unit, request)
    case 'file': {
      const path = writtenLast(log.paths)
      return (path && (await withLogFile(path, (bytes) => tail(bytes, request)))) || noLines
    }
    case 'site-file':
      if (!existsSync(log.site.home)) return noLines
      return (await withSiteLogFile(log, (bytes) => tail(bytes, request))) ?? noLines
  }
}

function writtenLast(paths: readonly string[]): string | undefined {
  const written = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return [...paths].sort((a, b) => written(b) - written(a))[0]
}
