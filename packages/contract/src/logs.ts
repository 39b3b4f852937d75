import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { operation } from './operation.ts'
import { SiteId } from './primitives.ts'

/** Logs of the server. A source is never a path. */
export const ServerLogSource = z.enum([
  'nginx-error',
  'nginx-access',
  'php',
  'mariadb',
  'redis',
  'api',
  'agent',
])
export type ServerLogSource = z.infer<typeof ServerLogSource>

export const SiteLogSource = z.enum(['access', 'error', 'php'])
export type SiteLogSource = z.infer<typeof SiteLogSource>

const LogQuery = z.strictObject({
  /** At most this many lines, the newest. */
  lines: z.coerce.number().int().min(1).max(1000).default(200),
  /** Continue after what an earlier answer returned as `cursor`. */
  cursor: z
    .string()
    .regex(/^[0-9a-z:]{1,60}$/)
    .optional(),
  /** Only lines that hold this text, whatever its case. */
  filter: z.string().max(200).optional(),
})

export const LogLines = z.strictObject({
  /** Control characters are written as \xNN, so that a line cannot rewrite a terminal. */
  lines: z.array(z.string()),
  cursor: z.string().nullable(),
  /** True when older lines were left out. */
  truncated: z.boolean(),
})
export type LogLines = z.infer<typeof LogLines>

export const getServerLog = endpoint({
  name: 'getServerLog',
  summary: 'The newest lines of a log of the server',
  method: 'GET',
  path: '/api/logs',
  role: 'global',
  query: LogQuery.extend({ source: ServerLogSource }),
  response: LogLines,
})

export const getSiteLog = endpoint({
  name: 'getSiteLog',
  summary: "The newest lines of one of the site's logs",
  method: 'GET',
  path: '/api/sites/{id}/logs',
  role: 'auth',
  scope: 'site',
  params: z.strictObject({ id: SiteId }),
  query: LogQuery.extend({ source: SiteLogSource.default('error') }),
  response: LogLines,
})

const Tail = z.strictObject({
  lines: z.int().min(1).max(1000),
  cursor: z.string().max(60).nullable(),
  filter: z.string().max(200).nullable(),
})

export const logsServer = operation({
  name: 'logs.server',
  summary: 'The newest lines of a log of the server',
  input: Tail.extend({ source: ServerLogSource }),
  output: LogLines,
})

export const logsSite = operation({
  name: 'logs.site',
  summary: 'The newest lines of a log of one site',
  input: Tail.extend({ id: SiteId, source: SiteLogSource }),
  output: LogLines,
})
