// The SQL of a fresh WordPress with tokens in the places that differ from site to site. Pure functions.
import { AppError } from '@reeve/contract/errors.ts'

export interface TemplateValues {
  /** Address without a slash at its end. */
  url: string
  title: string
  adminUser: string
  adminEmail: string
  /** A hash that WordPress verifies, e.g. `$P$…`. */
  passwordHash: string
  now: Date
}

/** What the installer is given, so that it can be found again in the dump. */
export const placeholders = {
  host: 'reeve-template.invalid',
  url: 'https://reeve-template.invalid',
  title: 'ReeveTemplateTitle',
  adminUser: 'ReeveTemplateUser',
  adminNicename: 'reevetemplateuser',
  adminEmail: 'reeve-template-admin@example.invalid',
  passwordHash: 'reeve-template-password-hash',
  /** Six months ahead; WordPress asks the administrator then whether the address is still right. */
  emailCheckAt: 'reeve-template-email-check',
  date: '2001-02-03 04:05:06',
} as const

const emailCheckAfterSeconds = 180 * 24 * 3600

/** Turns two dumps of an installed scratch database into a template. `installedAt` is in seconds. */
export function makeTemplate(schema: string, data: string, installedAt: number): string {
  const body = keepStatements(data)
  if (`${schema}${body}`.includes('{{reeve.')) {
    throw new AppError('internal', 'The dump of the fresh WordPress already holds template tokens.')
  }
  const marked = Object.entries(tokenOf).reduce((text, [placeholder, token]) => {
    if (!text.includes(placeholder)) {
      throw new AppError(
        'internal',
        `The fresh WordPress does not hold "${placeholder}", so no template was made.`,
      )
    }
    return text.replaceAll(placeholder, token)
  }, body)
  // Only the list of scheduled events has array keys of this size; they are integers, so no length changes.
  const scheduled = marked.replace(
    /\bi:(1[0-9]{9});a:/g,
    (_, at) => `i:{{reeve.time+${dueAfter(at - installedAt)}}};a:`,
  )
  refuseSerializedTokens(scheduled)
  if (scheduled.includes(placeholders.host)) {
    throw new AppError(
      'internal',
      'The fresh WordPress names its host outside of an address, so no template was made.',
    )
  }
  return [
    'SET NAMES utf8mb4;',
    // The installer's tables have zero dates as defaults.
    "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO', SESSION foreign_key_checks = 0;",
    keepStatements(schema),
    'START TRANSACTION;',
    scheduled,
    'COMMIT;',
    '',
  ].join('\n')
}

/** Nothing is due during the first visits, which would pay for it. Later events keep their distance and order. */
const dueAfter = (seconds: number): number => (seconds < 600 ? seconds + 600 : seconds)

/** Longer placeholders first where one is part of another. */
const tokenOf: Readonly<Record<string, string>> = {
  [placeholders.url]: '{{reeve.url}}',
  [placeholders.title]: '{{reeve.title}}',
  [placeholders.adminUser]: '{{reeve.user}}',
  [placeholders.adminNicename]: '{{reeve.nicename}}',
  [placeholders.adminEmail]: '{{reeve.email}}',
  [placeholders.passwordHash]: '{{reeve.password_hash}}',
  [placeholders.emailCheckAt]: `{{reeve.time+${emailCheckAfterSeconds}}}`,
  [placeholders.date]: '{{reeve.date}}',
}

/** Without comments, and without the client's own conditional statements, which this file sets itself. */
const keepStatements = (dump: string): string =>
  dump
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('/*') && !line.startsWith('--'))
    .join('\n')

/** A token inside `s:<length>:"…"` would leave a wrong length behind. */
function refuseSerializedTokens(data: string): void {
  for (const [, length, content] of data.matchAll(/s:([0-9]+):\\"((?:[^"\\]|\\[^"])*)\\"/g)) {
    if (content?.includes('{{reeve.')) {
      throw new AppError(
        'internal',
        `A value of ${length} bytes in the fresh WordPress would change its length.`,
      )
    }
  }
}

/** SQL for the standard input of the `mariadb` client, in a database that is empty. */
export function instantiateTemplate(template: string, values: TemplateValues): string {
  const texts: Readonly<Record<string, string>> = {
    url: values.url,
    title: escapeHtml(values.title),
    user: values.adminUser,
    nicename: nicenameOf(values.adminUser),
    email: values.adminEmail,
    password_hash: values.passwordHash,
    date: values.now.toISOString().slice(0, 19).replace('T', ' '),
  }
  const seconds = Math.floor(values.now.getTime() / 1000)
  return template.replace(/\{\{reeve\.([a-z_]+)([+-][0-9]+)?\}\}/g, (_, name: string, offset?: string) => {
    if (name === 'time') return String(seconds + Number(offset ?? 0))
    const text = texts[name]
    if (text === undefined)
      throw new AppError('internal', `The WordPress template holds the unknown token ${name}.`)
    return sqlEscape(text)
  })
}

/**
 * The inside of a single-quoted literal. Right for utf8mb4 connections without NO_BACKSLASH_ESCAPES, which the
 * template sets (MariaDB Knowledge Base, "String Literals").
 */
export function sqlEscape(text: string): string {
  if (!text.isWellFormed())
    throw new AppError('refused', 'A value for the database is not valid Unicode text.')
  return text.replace(/[\0\b\t\n\r\x1a"'\\]/g, (character) => `\\${sqlEscapes[character] ?? character}`)
}

const sqlEscapes: Readonly<Record<string, string>> = {
  '\0': '0',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\r': 'r',
  '\x1a': 'Z',
}

/** WordPress keeps the title of a site in this form (sanitize_option, esc_html). */
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => htmlEscapes[character] ?? character)

const htmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
}

/** The name in author addresses, as sanitize_title_with_dashes makes it from a strict user name. */
export function nicenameOf(user: string): string {
  const name = user
    .slice(0, 50)
    .toLowerCase()
    .replaceAll('.', '-')
    .replace(/[^a-z0-9 _-]/g, '')
    .replace(/[\s-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return name === '' ? 'admin' : name
}
