import { execFileSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { installedPhpVersions } from '../php/versions.ts'
import { ensurePhpCommand } from './php-command.ts'
import { renderCronPhpIni } from './render-php-ini.ts'
import { makeTestServer, type TestServer } from './testing.ts'

let server: TestServer
beforeAll(() => {
  server = makeTestServer()
})
afterAll(() => server[Symbol.dispose]())

it('is the file of settings', async () => {
  await expect(renderCronPhpIni()).toMatchFileSnapshot('golden/php.ini')
})

it.each(installedPhpVersions())('makes php %s, which has every one of the settings', (version) => {
  const { folder, env } = ensurePhpCommand(server, version)
  ensurePhpCommand(server, version)
  expect(realpathSync(`${folder}/bin/php`)).toBe(realpathSync(`/usr/bin/php${version}`))
  const php = (code: string) =>
    execFileSync('/usr/bin/env', ['php', '-r', code], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  expect(php('echo PHP_VERSION;').startsWith(`${version}.`)).toBe(true)
  const wanted = readFileSync(`${folder}/conf.d/99-reeve.ini`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' = '))
  const effective: unknown = JSON.parse(php('echo json_encode(ini_get_all(null, false));'))
  for (const [name = '', value = ''] of wanted) {
    const expected = value === 'off' ? '' : value
    expect(effective).toHaveProperty([name], expect.stringMatching(new RegExp(`^${expected || '(0|off)?'}$`)))
  }
})
