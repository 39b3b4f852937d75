import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { identityOf, type Request, sendAs } from '../src/isolation/agent-attack.ts'
import { applyDocument, siteDocument } from '../src/isolation/documents.ts'
import { filesBelow, serverState } from '../src/isolation/server-state.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { sql } from '../src/slate.ts'
import { visit } from '../src/visitor.ts'

let reeve: Reeve
let panel: Panel
let stateBefore: string[]

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
  await panel.createSite({
    domain: 'bystander.example.com',
    type: 'php',
    aliases: ['www.bystander.example.com'],
  })
  stateBefore = serverState(reeve.root)
}, 120_000)

afterAll(async () => {
  await reeve[Symbol.asyncDispose]()
}, 60_000)

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
const words: Record<string, string> = {
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

interface Case {
  name: string
  field: string
  value: string
}

/** Names that may not begin with a hyphen, which could be read as an option. */
const neverFirst = ['domain', 'aliases', 'proxy_upstream']

function casesFor(fields: readonly string[]): Case[] {
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

const place = (field: string, value: string) => ({ [field]: field === 'aliases' ? [value] : value })
const pathOf = (field: string) => (field === 'aliases' ? 'aliases.0' : field)

describe('characters that could break out of a configuration file', () => {
  it('are refused by the API, which names the field', { timeout: 120_000 }, async () => {
    const cases = casesFor(
      Object.keys(words).filter((field) => field !== 'id' && field !== 'admin_password_hash'),
    )
    const accepted: unknown[] = []
    for (const { name, field, value } of cases) {
      const base = field === 'proxy_upstream' ? { type: 'proxy' } : wordpressFields
      const body = { ...base, domain: 'inject.example.com', ...place(field, value) }
      const answer = await panel.call('POST', '/api/sites', body)
      if (answer.status !== 400 || answer.body['field'] !== pathOf(field))
        accepted.push({ name, status: answer.status, body: answer.body })
    }
    console.log(`${cases.length} requests to the API`)
    expect(accepted).toEqual([])
    expect(cases.length).toBeGreaterThan(400)
    expect((await panel.call<{ sites: unknown[] }>('GET', '/api/sites')).body.sites).toHaveLength(1)
    expect(serverState(reeve.root)).toEqual(stateBefore)
  })

  it('are refused by the agent when it is asked directly', { timeout: 120_000 }, async () => {
    const cases = casesFor(Object.keys(words))
    const requests = cases.map(({ name, field, value }): Request => {
      const body =
        field === 'admin_password_hash'
          ? { ...applyDocument, ...place(field, value) }
          : { ...applyDocument, site: { ...siteDocument, ...place(field, value) } }
      return { name, path: '/site.apply', body }
    })
    const outcomes = await sendAs(reeve, identityOf('reeve'), requests)
    const accepted = outcomes.filter(({ answer }, at) => {
      const { field } = cases[at]!
      const where = field === 'admin_password_hash' ? field : `site.${pathOf(field)}`
      return !answer.includes('"code":"invalid_request"') || !answer.includes(`"field":"${where}"`)
    })
    console.log(`${cases.length} requests to the agent`)
    expect(accepted).toEqual([])
    expect(serverState(reeve.root)).toEqual(stateBefore)
  })

  it('are refused in names that have a meaning to nginx or the host', async () => {
    const names = [
      '_', '*.example.com', '~^.*$', '$hostname', '""', 'localhost', 'a.localhost', '127.0.0.1', '0x7f.1', '[::1]',
      'example.com.', '.example.com', 'a..example.com', 'example', `${'a'.repeat(64)}.example.com`,
      `${'a.'.repeat(127)}example.com`, '-a.example.com', 'a-.example.com', 'a_b.example.com', 'a.example.com/x',
      'user@example.com', 'example.com:80', 'include /etc/passwd', 'a.example.com b.example.com',
    ] // biome-ignore format: one list
    const answers = await Promise.all(
      names.map(async (domain) => {
        const { status, body } = await panel.call('POST', '/api/sites', { domain, type: 'static' })
        return { domain, status, field: body['field'] }
      }),
    )
    expect(answers.filter(({ status, field }) => status !== 400 || field !== 'domain')).toEqual([])
    expect(serverState(reeve.root)).toEqual(stateBefore)
  })
})

describe('characters that a person may mean', () => {
  const fields = {
    ...wordpressFields,
    domain: 'literal.example.com',
    title: `-Marker & "Jerry's" {$x} ; #1 100% \\n \\\\ \`id\` $(id) %s {{reeve.url}} <b>`,
    admin_email: "o'brien-x@example.com",
    admin_user: '-editor.x@y',
    admin_password: `it's "50%" \\ {$x}; #\`id\``,
  }
  let site: Site

  beforeAll(async () => {
    site = await panel.createSite(fields)
  }, 60_000)

  const database = () => `site_${site.system_user?.split('-')[1]}`
  const ask = (query: string) =>
    sql(reeve.root, query).map((line) => Buffer.from(line, 'base64').toString('utf8'))
  const unescapeHtml = (text: string) =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#039;', "'")
      .replaceAll('&amp;', '&')

  it('arrive in WordPress as they were given', async () => {
    const [title] = ask(
      `SELECT REPLACE(TO_BASE64(option_value), '\\n', '') FROM ${database()}.wp_options WHERE option_name = 'blogname'`,
    )
    expect(unescapeHtml(title ?? '')).toBe(fields.title)
    const users = ask(`SELECT TO_BASE64(CONCAT(user_login, ' ', user_email)) FROM ${database()}.wp_users`)
    expect(users).toEqual([`${fields.admin_user} ${fields.admin_email}`])
    const page = await visit(site.domain, { port: reeve.httpsPort })
    expect(page.status).toBe(200)
    // The title is text in the page, never markup.
    expect(page.text).toContain('&lt;b&gt;')
    expect(page.text).not.toContain('<b>')
  })

  it('sign in to WordPress', async () => {
    const signIn = (password: string) =>
      visit(site.domain, {
        port: reeve.httpsPort,
        path: '/wp-login.php',
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          cookie: 'wordpress_test_cookie=WP%20Cookie%20check',
        },
        body: new URLSearchParams({ log: fields.admin_user, pwd: password }).toString(),
      })
    expect((await signIn('another password')).status).toBe(200)
    expect((await signIn(fields.admin_password)).status).toBe(302)
  })

  it('are nowhere else', () => {
    const files = [
      ...filesBelow(reeve.root, 'etc'),
      ...filesBelow(reeve.root, `srv/sites/${site.domain}/shared`),
    ]
      .filter((line) => /^\S+ \d+ \d+:\d+ [0-9a-f]{64}$/.test(line))
      .map((line) => line.split(' ')[0] ?? '')
    expect(files.some((path) => path.endsWith('wp-config.php'))).toBe(true)
    expect(files.some((path) => path.endsWith(`${site.domain}.conf`))).toBe(true)
    const holding = files.filter((path) =>
      /Marker|o'brien|-editor|it's/.test(readFileSync(join(reeve.root, path), 'utf8')),
    )
    expect(holding).toEqual([])
    const [rows] = sql(
      reeve.root,
      `SELECT COUNT(*) FROM ${database()}.wp_options WHERE option_value LIKE '%Marker%'`,
    )
    expect(rows).toBe('1')
  })
})
