import { PhpVersion } from '@reeve/contract/primitives.ts'
import { expect, it } from 'vitest'
import { pathsBelow } from '../paths.ts'
import { renderPanelVhost } from './panel-vhost.ts'
import { renderInstalledNginx } from './render-main.ts'
import { renderDropIns } from './render-units.ts'
import { unitWord } from './unit.ts'

const version = PhpVersion.parse('8.2')
const dropIns = renderDropIns(pathsBelow('/'), {
  fpm: [{ version, command: ['/usr/bin/unshare', '--', '/bin/sh', '-c', 'a "$@"\nb $1', 'sh', 'php-fpm'] }],
})

it.each(dropIns.map((dropIn) => [dropIn.unit, dropIn.text] as const))(
  'is the drop-in of %s',
  async (unit, text) => {
    await expect(text).toMatchFileSnapshot(`golden/${unit}.conf`)
  },
)

it.each([
  ['plain', '"plain"'],
  ['two words', '"two words"'],
  ['', '""'],
  ['$HOME ${HOME}', '"$$HOME $${HOME}"'],
  ['50% of %n', '"50%% of %%n"'],
  ['a\nb', '"a\\nb"'],
  ['say "it" \\ then', '"say \\"it\\" \\\\ then"'],
])('writes the word %j so that systemd reads it unchanged', (word, expected) => {
  expect(unitWord(word)).toBe(expected)
})

it('is the main file of nginx', async () => {
  const text = renderInstalledNginx(pathsBelow('/'), 65_536)
  await expect(text).toMatchFileSnapshot('golden/reeve-nginx.conf')
})

const panelInput = {
  panel: { domain: 'panel.example.com', port: 5252, proxySecret: 'ab'.repeat(32) },
  ports: { http: 80, https: 443, ipv6: true },
  nginx: { version: '1.22.1', http2Directive: false, http3: false, purgeModule: true },
  certificate: { certificate: '/etc/reeve/panel-tls/fullchain.pem', key: '/etc/reeve/panel-tls/privkey.pem' },
  acmeChallenges: '/var/lib/reeve-acme',
}

it('is the server of the panel', async () => {
  await expect(renderPanelVhost(panelInput)).toMatchFileSnapshot('golden/panel-vhost.conf')
})

it.each([
  { domain: 'panel.example.com; include /etc/shadow' },
  { domain: '_' },
  { proxySecret: '"; autoindex on; #' },
  { port: 0 },
])('refuses %j for the server of the panel', (change) => {
  const panel = { ...panelInput.panel, ...change }
  expect(() => renderPanelVhost({ ...panelInput, panel })).toThrow(/so no configuration was written|is not/)
})
