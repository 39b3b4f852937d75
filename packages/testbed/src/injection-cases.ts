// Characters that mean something to a configuration file, put into every field of a site.
import { siteDocument } from './isolation/documents.ts'

const characters: Record<string, string> = {
  newline: '\n',
  'carriage return': '\r',
  tab: '\t',
  'opening brace': '{',
  'closing brace': '}',
  semicolon: ';',
  hash: '#',
  'double quote': '"',
  'single quote': "'",
  backslash: '\\',
  dollar: '$',
  percent: '%',
  NUL: '\0',
  'U+2028': '\u2028',
  'U+2029': '\u2029',
  'form feed': '\f',
  'next line': '\u0085',
  backtick: '`',
  hyphen: '-',
}

/** Text that a person may mean: these arrive as they are, which another test proves. */
const legitimate: Record<string, readonly string[]> = {
  title: ['{', '}', ';', '#', '"', "'", '\\', '$', '%', '`', '-'],
  admin_email: ["'", '-'],
  admin_user: ['-'],
  domain: ['-'],
  aliases: ['-'],
  proxy_upstream: ['-'],
}

/** A word inside of which, before and after which a character is put. */
export const words: Record<string, string> = {
  id: siteDocument.id,
  domain: 'inject.example.com',
  aliases: 'www.inject.example.com',
  type: 'wordpress',
  profile: 'balanced',
  title: 'A title',
  admin_email: 'editor@example.com',
  admin_user: 'editor',
  php_version: '8.2',
  proxy_upstream: 'http://127.0.0.1:3000',
  admin_password_hash: `$P$B${'a'.repeat(30)}`,
}

export interface Case {
  name: string
  field: string
  value: string
}

/** Names that may not begin with a hyphen, which could be read as an option. */
const neverFirst = ['domain', 'aliases', 'proxy_upstream']

export function casesFor(fields: readonly string[]): Case[] {
  return fields.flatMap((field) => {
    const word = words[field] ?? ''
    const middle = Math.floor(word.length / 2)
    return Object.entries(characters).flatMap(([name, character]) => {
      const mayHold = legitimate[field]?.includes(character) ?? false
      const first = { name: `${field} begins with ${name}`, field, value: character + word }
      if (mayHold) return neverFirst.includes(field) ? [first] : []
      const inside = word.slice(0, middle) + character + word.slice(middle)
      return [
        first,
        { name: `${field} holds ${name}`, field, value: inside },
        { name: `${field} ends with ${name}`, field, value: word + character },
        { name: `${field} is only ${name}`, field, value: character },
      ]
    })
  })
}

export const place = (field: string, value: string) => ({ [field]: field === 'aliases' ? [value] : value })
export const pathOf = (field: string) => (field === 'aliases' ? 'aliases.0' : field)
