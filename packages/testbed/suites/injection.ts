// Hostile characters over HTTP: refused where they could break out, and taken literally where a person may mean them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Site } from '@reeve/contract/sites.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Host } from '../src/host.ts'
import { casesFor, pathOf, place, words } from '../src/injection-cases.ts'
import { filesBelow, serverState } from '../src/isolation/server-state.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { sql } from '../src/slate.ts'
import { visit } from '../src/visitor.ts'

export function injection(hostOf: () => Host): void {
  let host: Host
  let panel: Panel

  beforeAll(async () => {
    host = hostOf()
    panel = await host.panel()
  })

  describe('characters that could break out of a configuration file', () => {
    let stateBefore: string[]
    let bystander: Site

    beforeAll(async () => {
      bystander = await panel.createSite({
        domain: 'bystander.example.com',
        type: 'php',
        aliases: ['www.bystander.example.com'],
      })
      stateBefore = serverState(host.root)
    }, 60_000)

    afterAll(async () => {
      await panel.deleteSite(bystander.id)
    })

    it('are refused by the API, which names the field', { timeout: 120_000 }, async () => {
      const cases = casesFor(
        Object.keys(words).filter((field) => field !== 'id' && field !== 'admin_password_hash'),
      )
      const sitesBefore = await panel.call('GET', '/api/sites')
      const accepted: unknown[] = []
      const left = cases.values()
      const sendAll = async () => {
        for (const { name, field, value } of left) {
          const base = field === 'proxy_upstream' ? { type: 'proxy' } : wordpressFields
          const body = { ...base, domain: 'inject.example.com', ...place(field, value) }
          const answer = await panel.call('POST', '/api/sites', body)
          if (answer.status !== 400 || answer.body['field'] !== pathOf(field))
            accepted.push({ name, status: answer.status, body: answer.body })
        }
      }
      await Promise.all(Array.from({ length: 8 }, sendAll))
      console.log(`${cases.length} requests to the API`)
      expect(accepted).toEqual([])
      expect(cases.length).toBeGreaterThan(400)
      expect((await panel.call('GET', '/api/sites')).body).toEqual(sitesBefore.body)
      expect(serverState(host.root)).toEqual(stateBefore)
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
      expect(serverState(host.root)).toEqual(stateBefore)
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
      sql(host.root, query).map((line) => Buffer.from(line, 'base64').toString('utf8'))
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
      const page = await visit(site.domain, host.https)
      expect(page.status).toBe(200)
      // The title is text in the page, never markup.
      expect(page.text).toContain('&lt;b&gt;')
      expect(page.text).not.toContain('<b>')
    })

    it('sign in to WordPress', async () => {
      const signIn = (password: string) =>
        visit(site.domain, {
          ...host.https,
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
        ...filesBelow(host.root, 'etc'),
        ...filesBelow(host.root, `srv/sites/${site.domain}/shared`),
      ]
        .filter((line) => /^\S+ \d+ \d+:\d+ [0-9a-f]{64}$/.test(line))
        .map((line) => line.split(' ')[0] ?? '')
      expect(files.some((path) => path.endsWith('wp-config.php'))).toBe(true)
      expect(files.some((path) => path.endsWith(`${site.domain}.conf`))).toBe(true)
      const holding = files.filter((path) =>
        /Marker|o'brien-x|-editor\.x@y|it's "50%"/.test(readFileSync(join(host.root, path), 'utf8')),
      )
      expect(holding).toEqual([])
      const [rows] = sql(
        host.root,
        `SELECT COUNT(*) FROM ${database()}.wp_options WHERE option_value LIKE '%Marker%'`,
      )
      expect(rows).toBe('1')
    })

    afterAll(async () => {
      await panel.deleteSite(site.id)
    })
  })
}
