// The last check before a value becomes configuration text. What a syntax cannot hold is refused, never
// escaped: nginx, FPM, MariaDB and Redis each quote differently, and their own checkers accept injections.
import { AppError } from '@reeve/contract/errors.ts'
import { parseDomain } from '@reeve/contract/primitives.ts'

// No space, quote, `$`, `%`, `;`, `#`, brace, backslash, `~` (an operator in ini files) or control character.
const plainPath = /^\/[A-Za-z0-9._@+/-]*$/

function refuse(what: string, problem: string): never {
  throw new AppError(
    'refused',
    `The ${what} ${problem}, so no configuration was written. Correct it and try again.`,
    {
      field: what,
    },
  )
}

/** An absolute path that is the same word in every configuration syntax used here. */
export function pathValue(what: string, path: string): string {
  if (!plainPath.test(path)) refuse(what, 'holds a character that a configuration file cannot hold')
  if (path.includes('//') || path.split('/').includes('..')) refuse(what, 'is not a normalised path')
  return path
}

/** A lower-case ASCII host name. */
export function domainValue(what: string, text: string): string {
  const parsed = parseDomain(text)
  if (!('domain' in parsed)) refuse(what, parsed.problem)
  if (parsed.domain !== text) refuse(what, 'is not in its lower-case ASCII form')
  return text
}

/** A system user or group name. */
export function userValue(what: string, name: string): string {
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(name)) refuse(what, 'is not a system user name')
  return name
}

export function integerValue(what: string, value: number, min: number, max: number): number {
  if (!Number.isSafeInteger(value) || value < min || value > max)
    refuse(what, `is not between ${min} and ${max}`)
  return value
}

/** A word of the given shape; for identifiers with a syntax of their own. */
export function wordValue(what: string, text: string, shape: RegExp): string {
  if (!shape.test(text) || /[\s{};#"'\\$%\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) refuse(what, 'is not valid')
  return text
}
