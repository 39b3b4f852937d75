// The way of the shop plugin from the configured source into a site. The real WooCommerce cannot be had from a
// package registry, so the source here holds a plugin of its name; what is tested is ours, not the plugin.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { wordpressFields } from '../src/panel.ts'
import { type Reeve, repository, startReeve } from '../src/reeve.ts'
import { findTraces, redis, sql } from '../src/slate.ts'
import { visit } from '../src/visitor.ts'

let reeve: Reeve

beforeAll(async () => {
  const source = join(repository, 'packages/testbed/fixtures/shop-plugin')
  reeve = await startReeve({ env: { REEVE_WOOCOMMERCE_SOURCE: source } })
}, 120_000)

afterAll(async () => {
  await reeve[Symbol.asyncDispose]()
})

it('has the plugin active, the object cache on, and never caches the cart', async () => {
  const panel = await reeve.panel()
  const site = await panel.createSite({
    ...wordpressFields,
    type: 'woocommerce',
    profile: 'commerce',
    domain: 'store.example.com',
  })
  expect(site.object_cache).toBe(true)
  const at = { port: reeve.httpsPort }
  expect((await visit(site.domain, at)).text).toContain('The shop plugin runs.')
  expect((await visit(site.domain, at)).headers['x-cache']).toBe('HIT')
  for (const path of ['/cart/', '/checkout/', '/my-account/', '/?wc-ajax=get_refreshed_fragments']) {
    for (let time = 0; time < 2; time++) {
      expect((await visit(site.domain, { ...at, path })).headers['x-cache'], path).toBe('BYPASS')
    }
  }
  const withCart = await visit(site.domain, { ...at, headers: { cookie: 'woocommerce_items_in_cart=1' } })
  expect(withCart.headers['x-cache']).toBe('BYPASS')

  const uid = 20_000 + Number(site.system_user?.split('-')[1])
  const database = `site_${uid - 20_000}`
  const option = `SELECT option_value FROM ${database}.wp_options WHERE option_name = 'shop_plugin_activated_by_uid'`
  expect(sql(reeve.root, option)).toEqual([String(uid)])
  const releases = join(reeve.root, 'srv/sites', site.domain, 'releases')
  const plugin = join(
    releases,
    readdirSync(releases)[0] ?? '',
    'wp-content/plugins/woocommerce/woocommerce.php',
  )
  expect(statSync(plugin)).toMatchObject({ uid, mode: 0o100644 })
  expect(redis(reeve.root, ['KEYS *']).every((key) => key.startsWith(`${site.system_user}:`))).toBe(true)

  await panel.deleteSite(site.id)
  expect(findTraces(reeve.root, { domain: site.domain, id: site.id, systemUser: site.system_user })).toEqual(
    [],
  )
})
