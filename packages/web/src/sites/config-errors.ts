// Where the server's refusal of a configuration belongs: the field, the row of a list, the line of the snippet.
import { ApiError, messageOf } from '../lib/api.ts'

export interface Refusal {
  message: string
  /** Which entry of a list, counted as they were sent. */
  index?: number
  /** The part of a row, like `to` of a redirect. */
  part?: string
  /** Line of the snippet, counted from 1. */
  line?: number
}

export type Refusals = Readonly<Record<string, Refusal | undefined>>

const fields: Readonly<Record<string, string>> = {
  aliases: 'aliases',
  redirects: 'redirects',
  https_redirect: 'https_redirect',
  www_redirect: 'www_redirect',
  hsts: 'hsts',
  'cache.ttl_s': 'cacheTtl',
  'cache.bypass_paths': 'bypassPaths',
  'basic_auth.user': 'basicAuthUser',
  'basic_auth.password': 'basicAuthPassword',
  basic_auth: 'basicAuthUser',
  nginx_snippet: 'snippet',
}

/** The schema says "aliases.1: is not a domain name"; people see which field it is. */
function withoutPath(message: string, path: string): string {
  for (const prefix of [`${path}: `, `${path} `])
    if (message.startsWith(prefix)) return message.slice(prefix.length)
  return message
}

export function refusalsOf(error: unknown): Refusals | undefined {
  const path = error instanceof ApiError ? error.field : undefined
  if (!(error instanceof ApiError) || path === undefined) return undefined
  const name = Object.keys(fields).find((key) => path === key || path.startsWith(`${key}.`))
  const field = name && fields[name]
  if (!name || !field) return undefined
  const [index, part] = path.slice(name.length + 1).split('.')
  const line = error.details['line']
  return {
    [field]: {
      message: withoutPath(messageOf(error), path),
      ...(index !== undefined && /^\d+$/.test(index) ? { index: Number(index) } : {}),
      ...(part === undefined ? {} : { part }),
      ...(typeof line === 'number' ? { line } : {}),
    },
  }
}

/** "“no domain” is not a domain name", for one entry of a list that was typed as text. */
export function listMessage(refusal: Refusal | undefined, entries: readonly string[]): string | undefined {
  if (!refusal) return undefined
  const entry = refusal.index === undefined ? undefined : entries[refusal.index]
  return entry === undefined ? sentence(refusal.message) : `“${entry}” ${refusal.message}`
}

export const sentence = (message: string): string => message.charAt(0).toUpperCase() + message.slice(1)
