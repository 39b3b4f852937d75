// Runs one command of packages/wordpress/runner as the site's user. Plugins run in that process, so nothing it
// prints is trusted: the answer is found by a marker made for this run and parsed with the command's schema.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import * as z from 'zod'
import type { PhpVersion } from '@reeve/contract/primitives.ts'
import { runAsSite, type SiteUser } from '../as-site-user.ts'
import { phpProgram } from '../command.ts'
import type { Paths } from '../paths.ts'

/** Every command with what it takes and what it answers. */
const commands = {
  ping: { args: z.strictObject({}), result: z.object({ php: z.string(), uid: z.int(), gid: z.int() }) },
  install: {
    args: z.strictObject({ title: z.string(), user: z.string(), email: z.string(), password: z.string() }),
    result: z.object({ version: z.string(), user_id: z.int(), theme: z.string() }),
  },
  'activate-plugin': {
    args: z.strictObject({ plugin: z.string() }),
    result: z.object({ plugin: z.string(), changed: z.boolean() }),
  },
  'object-cache': {
    args: z.strictObject({ enabled: z.boolean(), path: z.string(), target: z.string() }),
    result: z.object({ changed: z.boolean() }),
  },
  'run-due-events': { args: z.strictObject({}), result: z.object({ events: z.array(z.string()) }) },
  'flush-permalinks': { args: z.strictObject({}), result: z.object({ rules: z.int() }) },
  'first-visit': { args: z.strictObject({}), result: z.object({ bytes: z.int() }) },
  status: {
    args: z.strictObject({}),
    result: z.object({
      version: z.string(),
      database_version: z.int(),
      code_database_version: z.int(),
      php: z.string(),
      uid: z.int(),
      url: z.string(),
      permalinks: z.string(),
      object_cache: z.boolean(),
      theme: z.object({ stylesheet: z.string(), version: z.string() }),
      plugins: z.array(
        z.object({ file: z.string(), name: z.string(), version: z.string(), active: z.boolean() }),
      ),
    }),
  },
} as const satisfies Record<string, { args: z.ZodType; result: z.ZodType }>

type Commands = typeof commands
export type CmsCommand = keyof Commands
export type CmsResult<Name extends CmsCommand> = z.infer<Commands[Name]['result']>

export interface CmsRun<Name extends CmsCommand> {
  paths: Paths
  site: SiteUser
  /** Directory with wp-load.php, as the site sees it. */
  release: string
  url: URL
  command: Name
  args: z.infer<Commands[Name]['args']>
  /** The site's own; without it the distribution's default. */
  phpVersion?: PhpVersion
  timeoutMs?: number
  /** For code of the site that may open connections. */
  hasNetwork?: boolean
  signal?: AbortSignal
}

/** Throws `internal` with WordPress's own reason, cut and cleaned, when the command did not succeed. */
export async function runCms<Name extends CmsCommand>(request: CmsRun<Name>): Promise<CmsResult<Name>> {
  const { paths, site, command } = request
  const marker = randomBytes(24).toString('hex')
  const php = request.phpVersion === undefined ? 'php' : phpProgram(request.phpVersion)
  const sockets = [paths.mariadbSocket, paths.redisSocket].filter((path) => existsSync(path))
  const { stdout } = await runAsSite(site, php, [...phpSettings, join(paths.cmsParts, 'runner/run.php')], {
    input: JSON.stringify({ marker, command, ...location(request), args: request.args }),
    timeoutMs: request.timeoutMs ?? 60_000,
    maxOutputBytes: 4 * 1024 * 1024,
    accept: [0, 1, 255],
    readOnly: [paths.cores, paths.cmsParts],
    hasNetwork: request.hasNetwork ?? false,
    writable: sockets,
    ...(request.signal ? { signal: request.signal } : {}),
  })
  const answer = findAnswer(stdout, marker)
  const what = `WordPress of ${site.domain} could not do "${command}"`
  if (!answer) throw new AppError('internal', `${what}: it ended without an answer.`)
  if (!answer.ok) throw new AppError('internal', `${what}: ${oneLine(answer.error)}`)
  const result = commands[command].result.safeParse(answer.result)
  if (!result.success) throw new AppError('internal', `${what}: its answer has another shape than expected.`)
  // The table above pairs each name with its schema; TypeScript sees only their union here.
  return result.data as CmsResult<Name>
}

const phpSettings = [
  '-d',
  'display_errors=0',
  '-d',
  'log_errors=0',
  '-d',
  'memory_limit=512M',
  '-d',
  'opcache.enable_cli=0',
]

function location({ release, url }: { release: string; url: URL }) {
  const port = url.port === '' ? {} : { port: Number(url.port) }
  return { release, host: url.hostname, https: url.protocol === 'https:', ...port }
}

const Answer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({ ok: z.literal(false), error: z.string() }),
])

/** The last marked line of the output, or nothing when there is none that parses. */
export function findAnswer(stdout: string, marker: string): z.infer<typeof Answer> | undefined {
  const start = stdout.lastIndexOf(`\n${marker}`)
  if (start === -1) return undefined
  const [line = ''] = stdout.slice(start + 1 + marker.length).split('\n', 1)
  try {
    return Answer.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}

const oneLine = (text: string): string => {
  const plain = text
    .replace(/<[^>]*>/g, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return plain.length > 500 ? `${plain.slice(0, 500)}…` : plain
}
