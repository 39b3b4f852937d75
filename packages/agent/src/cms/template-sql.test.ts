import { expect, test } from 'vitest'
import { instantiateTemplate, makeTemplate, nicenameOf, placeholders, sqlEscape } from './template-sql.ts'

const values = {
  url: 'https://example.com:8443',
  title: 'Tom & "Jerry"\'s <b>',
  adminUser: 'admin',
  adminEmail: 'a@example.com',
  passwordHash: '$P$Babc/def.$1',
  now: new Date('2026-02-03T04:05:06.789Z'),
}

/** A dump that holds every placeholder once. */
const dump = Object.values(placeholders)
  .filter((value) => value !== placeholders.host)
  .map((value) => `INSERT INTO t VALUES ('${value}');`)
  .join('\n')

test('fills every token and leaves none', () => {
  const sql = instantiateTemplate(makeTemplate('CREATE TABLE t (v text);', dump, 1_700_000_000), values)
  expect(sql).not.toContain('{{reeve.')
  expect(sql).not.toContain('reeve-template')
  expect(sql).toContain("('https://example.com:8443')")
  expect(sql).toContain("('$P$Babc/def.$1')")
  expect(sql).toContain("('2026-02-03 04:05:06')")
  expect(sql).toContain("('Tom &amp; &quot;Jerry&quot;&#039;s &lt;b&gt;')")
})

test('moves scheduled events to the time of the site', () => {
  const cron = `INSERT INTO t VALUES ('a:2:{i:1700000001;a:1:{s:1:\\"y\\";b:1;}i:1700003600;a:1:{s:1:\\"x\\";b:1;}}');`
  const sql = instantiateTemplate(makeTemplate('', `${dump}\n${cron}`, 1_700_000_000), values)
  const now = Math.floor(values.now.getTime() / 1000)
  expect(sql).toContain(`{i:${now + 601};a:1:`)
  expect(sql).toContain(`}i:${now + 3600};a:1:`)
})

test('a value that looks like a token is not filled in a second time', () => {
  const sql = instantiateTemplate("('{{reeve.title}}')", { ...values, title: '{{reeve.password_hash}}' })
  expect(sql).toBe("('{{reeve.password_hash}}')")
})

test('refuses a dump in which a length would become wrong', () => {
  const serialized = `INSERT INTO t VALUES ('a:1:{s:3:\\"url\\";s:30:\\"${placeholders.url}\\";}');`
  expect(() => makeTemplate('', `${dump}\n${serialized}`, 0)).toThrow('would change its length')
})

test('refuses a dump without a placeholder, and one with a stray host or token', () => {
  expect(() => makeTemplate('', '', 0)).toThrow('does not hold')
  expect(() => makeTemplate('', `${dump}\n('mailto:x@${placeholders.host}')`, 0)).toThrow('names its host')
  expect(() => makeTemplate('', `${dump}\n('{{reeve.url}}')`, 0)).toThrow('already holds')
})

test('drops comments and client conditions of the dump', () => {
  const noisy = `/*M!999999\\- enable the sandbox mode */ \n-- x\n/*!40101 SET x */;\n${dump}`
  expect(makeTemplate('', noisy, 0)).not.toMatch(/sandbox|40101|-- x/)
})

test('an unknown token is an error of the template, not text in the site', () => {
  expect(() => instantiateTemplate('{{reeve.colour}}', values)).toThrow('unknown token colour')
})

test('refuses text that is not Unicode', () => {
  expect(() => sqlEscape('\udc00')).toThrow('not valid Unicode')
})

test.each([
  ['Admin', 'admin'],
  ['jane.doe@example.com', 'jane-doeexample-com'],
  ['__x__', '__x__'],
  ['@@', 'admin'],
  ['-a--b-', 'a-b'],
])('WordPress addresses %s as %s', (user, nicename) => {
  expect(nicenameOf(user)).toBe(nicename)
})
