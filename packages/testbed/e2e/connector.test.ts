// The plugin in a hosted WordPress: what a change of content takes out of the page cache, and who may ask for it.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { connectorRotate } from '@reeve/contract/cache.ts'
import { SiteId } from '@reeve/contract/primitives.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgentClient } from '../../api/src/agent-client.ts'
import { type CachedBlog, eachOf, openCachedBlog } from '../src/cached-blog.ts'
import { type Tenant, tenantOf, writeAs } from '../src/isolation/tenant.ts'
import { type Panel, wordpressFields } from '../src/panel.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { visit } from '../src/visitor.ts'
import { connectorToken, installCode, measurePage, probeHeader, runCode } from '../src/wordpress-code.ts'

let reeve: Reeve
let panel: Panel
let blog: Tenant
let other: Tenant
let cached: CachedBlog

beforeAll(async () => {
  reeve = await startReeve()
  panel = await reeve.panel()
  const [first, second] = await Promise.all([
    panel.createSite({ ...wordpressFields, object_cache: true, domain: 'blog.example.com' }),
    panel.createSite({ ...wordpressFields, domain: 'other.example.com' }),
  ])
  blog = tenantOf(reeve, first)
  other = tenantOf(reeve, second)
  for (const tenant of [blog, other]) installCode(tenant)
  cached = await openCachedBlog(reeve, blog)
}, 180_000)

afterAll(() => reeve[Symbol.asyncDispose](), 60_000)

const php = <Result = null>(code: string) => runCode<Result>(reeve, blog, code)

describe('publishing a post', () => {
  beforeAll(async () => {
    await cached.changing(`
      $ann = wp_create_user( 'ann', 'a long enough password', 'ann@example.com' );
      $bob = wp_create_user( 'bob', 'a long enough password', 'bob@example.com' );
      list( $news, $stories ) = array_map( fn( $name ) => wp_insert_term( $name, 'category' )['term_id'], array( 'News', 'Stories' ) );
      for ( $i = 1; $i <= 60; $i++ ) {
        $is_news = $i <= 30;
        wp_insert_post( array( 'post_title' => "Entry $i", 'post_content' => "Text of $i", 'post_status' => 'publish',
          'post_author' => $is_news ? $ann : $bob, 'post_category' => array( $is_news ? $news : $stories ),
          'post_date' => gmdate( 'Y-m-d H:i:s', 1700000000 + $i * 86400 ) ) );
      }
      for ( $i = 1; $i <= 135; $i++ ) {
        wp_insert_post( array( 'post_type' => 'page', 'post_title' => "Page $i", 'post_content' => 'Words', 'post_status' => 'publish' ) );
      }
      return null;`)
  }, 300_000)

  it('purges what shows a new post, and nothing else, on a site with 200 cached pages', {
    timeout: 600_000,
  }, async () => {
    const entries = Array.from({ length: 60 }, (_, index) => `/entry-${index + 1}/`)
    const pages = Array.from({ length: 135 }, (_, index) => `/page-${index + 1}/`)
    const archives = ['news', 'stories'].flatMap((name) =>
      ['', 'page/2/', 'feed/'].map((end) => `/category/${name}/${end}`),
    )
    const more = [
      '/author/ann/',
      '/author/bob/',
      '/author/bob/page/2/',
      '/2023/',
      '/2024/01/',
      '/wp-sitemap.xml',
    ]
    const lists = ['/', '/page/2/', '/page/6/', '/feed/', '/comments/feed/', '/wp-sitemap-posts-post-1.xml']
    const texts = new Map<string, string>()
    await eachOf([...entries, ...pages, ...archives, ...more, ...lists], async (path) => {
      const page = await cached.see(path)
      expect([path, page.status]).toEqual([path, 200])
      texts.set(path, page.text)
    })

    const paths = [...texts.keys()].sort((a, b) => a.localeCompare(b))
    await cached.store(...paths)
    expect(paths.length).toBeGreaterThan(200)
    await cached.changing(`return wp_insert_post( array( 'post_title' => 'Breaking', 'post_content' => 'It happened.',
      'post_status' => 'publish', 'post_author' => get_user_by( 'login', 'ann' )->ID,
      'post_category' => array( get_cat_ID( 'News' ) ) ) );`)
    const left = await cached.storedPaths()
    const purged = paths.filter((path) => !left.has(path))

    // What is different now, found by making every page anew.
    const changed = new Set<string>()
    await eachOf(paths, async (path) => {
      if (texts.get(path) !== (await cached.seeFresh(path)).text) changed.add(path)
    })
    console.log(`${paths.length} cached pages, ${purged.length} purged:\n${purged.join(' ')}`)
    console.log(`${paths.length - purged.length} kept:\n${paths.filter((path) => left.has(path)).join(' ')}`)
    expect(purged).toEqual(paths.filter((path) => changed.has(path)))
    expect(purged).toEqual(expect.arrayContaining(['/', '/page/2/', '/feed/', '/author/ann/', '/entry-60/']))
    for (const kept of ['/page-1/', '/author/bob/', '/category/stories/', '/2024/01/'])
      expect(left).toContain(kept)
    expect((await cached.see('/')).text).toContain('Breaking')
  })
})

/** Shows an option, read three seconds before the page is finished. */
const slowPlugin = `<?php /* Plugin Name: Slow */
add_action( 'template_redirect', function () {
  if ( '/changing/' !== $_SERVER['REQUEST_URI'] ) return;
  $was = get_option( 'reeve_e2e' );
  touch( __DIR__ . '/begun' );
  if ( 'old' === $was ) sleep( 3 );
  exit( "<!doctype html><html><body>$was</body></html>" );
} );
`

describe('a change of content', () => {
  const [post, bystander] = ['/changing/', '/page-bystander/']

  beforeAll(async () => {
    await cached.changing(`
      wp_insert_post( array( 'post_title' => 'Changing', 'post_name' => 'changing', 'post_status' => 'publish',
        'post_content' => 'before', 'comment_status' => 'open' ) );
      wp_insert_post( array( 'post_type' => 'page', 'post_title' => 'Bystander', 'post_name' => 'page-bystander', 'post_status' => 'publish' ) );`)
  })

  const find = "$post = get_page_by_path( 'changing', OBJECT, 'post' );"
  const shown = async (path: string): Promise<string> => (await cached.see(path)).text
  const isKept = async (path: string) => (await cached.storedPaths()).has(path)

  it('is shown to the next visitor, and its neighbourhood alone is made anew', async () => {
    await cached.store('/', post, bystander)
    await cached.changing(`${find} wp_update_post( array( 'ID' => $post->ID, 'post_content' => 'after' ) );`)
    expect(await shown(post)).toContain('after')
    expect(await isKept(bystander)).toBe(true)
  })

  it('of comments concerns the post and no list of posts', async () => {
    await cached.store('/', post, bystander)
    await cached.changing(`${find} wp_insert_comment( array( 'comment_post_ID' => $post->ID, 'comment_content' => 'Well said',
      'comment_author' => 'Reader', 'comment_approved' => 1 ) );`)
    expect(await isKept('/')).toBe(true)
    expect(await isKept(bystander)).toBe(true)
    expect(await shown(post)).toContain('Well said')
  })

  it('of a term finds its archive and the posts that name it', async () => {
    await cached.changing(`wp_insert_term( 'Old name', 'category', array( 'slug' => 'named' ) );
      ${find} wp_set_object_terms( $post->ID, 'named', 'category' );`)
    await cached.store(post, '/category/named/', bystander)
    await cached.changing(
      `$term = get_term_by( 'slug', 'named', 'category' ); wp_update_term( $term->term_id, 'category', array( 'name' => 'New name' ) );`,
    )
    expect(await shown('/category/named/')).toContain('New name')
    expect(await shown(post)).toContain('New name')
    expect(await isKept(bystander)).toBe(true)
  })

  it('that takes a post away is seen at its old address and in the lists', async () => {
    await cached.store('/', post, bystander)
    await cached.changing(`${find} wp_trash_post( $post->ID );`)
    expect((await cached.see(post)).status).toBe(404)
    expect(await shown('/')).not.toContain('/changing/')
    expect(await isKept(bystander)).toBe(true)
    await cached.changing(`$post = get_posts( array( 'post_status' => 'trash' ) )[0]; wp_untrash_post( $post->ID );
      wp_update_post( array( 'ID' => $post->ID, 'post_status' => 'publish', 'post_name' => 'changing' ) );`)
    expect((await cached.see(post)).status).toBe(200)
  })

  it.each([
    [
      'a menu',
      `wp_insert_post( array( 'post_type' => 'wp_navigation', 'post_title' => 'M', 'post_status' => 'publish' ) );`,
    ],
    ['a widget', `update_option( 'widget_text', array( 2 => array( 'text' => wp_generate_uuid4() ) ) );`],
    ['the name of the site', `update_option( 'blogname', 'Renamed ' . wp_generate_uuid4() );`],
    [
      'a setting of the theme',
      `update_option( 'theme_mods_twentytwentyfive', array( 'x' => wp_generate_uuid4() ) );`,
    ],
    ['a plugin', `do_action( 'activated_plugin', 'x/x.php', false );`],
  ])('of %s purges the whole site', async (_, code) => {
    await cached.store('/', bystander)
    await cached.changing(code)
    expect([...(await cached.storedPaths())]).toEqual([])
  })

  it('that comes while a page is being made keeps that page out of the cache', async () => {
    const folder = join(blog.home, 'current/wp-content/plugins/slow')
    execFileSync('/bin/mkdir', ['--', folder], { uid: blog.uid, gid: blog.uid })
    writeAs(blog, join(folder, 'slow.php'), slowPlugin)
    await cached.changing(
      `update_option( 'reeve_e2e', 'old' ); update_option( 'active_plugins', array( 'slow/slow.php' ) );`,
    )
    const made = cached.see(post)
    await expect.poll(() => existsSync(join(folder, 'begun')), { timeout: 20_000 }).toBe(true)
    await php(`update_option( 'reeve_e2e', 'new' );`)
    const purge = { urls: [`https://${blog.domain}${post}`] }
    expect(await panel.call('POST', `/api/sites/${blog.id}/purge`, purge)).toMatchObject({ status: 200 })
    expect((await made).text).toContain('old')
    const next = await cached.see(post)
    expect([next.headers['x-cache'], next.text]).toEqual(['MISS', expect.stringContaining('new')])
    expect((await cached.see(post)).headers['x-cache']).toBe('HIT')
    await cached.changing(`update_option( 'active_plugins', array() );`)
  })
})

describe('the address that purges', () => {
  const path = '/.well-known/reeve/purge'
  const post = (
    body: unknown,
    headers: Record<string, string>,
    from = blog.domain,
    localAddress = '127.0.0.1',
  ) => {
    const text = JSON.stringify(body)
    const length = { 'content-length': String(Buffer.byteLength(text)) }
    const at = { port: reeve.httpsPort, path, localAddress }
    return visit(from, { ...at, method: 'POST', body: text, headers: { ...length, ...headers } })
  }
  const bearer = (tenant: Tenant) => ({ authorization: `Bearer ${connectorToken(tenant)}` })
  const home = { urls: ['https://blog.example.com/'] }

  it('answers nobody without the token of a site', async () => {
    for (const headers of [
      {},
      { authorization: 'Bearer x' },
      { authorization: `Bearer ${'a'.repeat(43)}` },
    ]) {
      expect((await post(home, headers)).status).toBe(401)
    }
    expect((await post(home, bearer(blog))).status).toBe(200)
  })

  it('answers nobody from another machine, and no method but POST', async () => {
    expect((await post(home, bearer(blog), blog.domain, '127.0.0.9')).status).toBe(403)
    expect((await cached.see(path)).status).toBe(405)
  })

  it('refuses another host by name, whichever site it is asked at', async () => {
    await cached.store('/')
    for (const from of [blog.domain, other.domain]) {
      const refused = await post(home, bearer(other), from)
      expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
        422,
        { code: 'refused', host: blog.domain },
      ])
    }
    expect(await cached.storedPaths()).toContain('/')
    const unknown = await post({ urls: ['https://blog.example.com/'], everything: true }, bearer(blog))
    expect(unknown.status).toBe(400)
  })

  it('takes a new token at once and refuses the old one, and the plugin goes on', async () => {
    const old = bearer(blog)
    const rotated = await panel.call('POST', `/api/sites/${blog.id}/connector/rotate`)
    expect([rotated.status, rotated.body]).toEqual([200, {}])
    expect((await post(home, old)).status).toBe(401)
    expect(bearer(blog)).not.toEqual(old)
    expect((await post(home, bearer(blog))).status).toBe(200)
    // PHP may still run the file with the old token; the plugin reads the new one then.
    await cached.changing(`update_option( 'blogname', 'Rotated' );`)
    expect((await cached.see('/')).text).toContain('Rotated')
    const state = await php<{ problem: string }>(`return get_option( 'reeve_connector' );`)
    expect(state.problem).toBe('')
  })

  it('takes a token that the panel was killed before it could store', async () => {
    const old = bearer(blog)
    const agent = createAgentClient(join(reeve.root, 'run/reeve/agent.sock'))
    await agent.call(connectorRotate, { id: SiteId.parse(blog.id) })
    expect((await post(home, bearer(blog))).status).toBe(401)
    process.kill(reeve.pid('api'), 'SIGKILL')
    const answered = async () => (await post(home, bearer(blog))).status
    await expect.poll(answered, { timeout: 20_000, interval: 500 }).toBe(200)
    expect((await post(home, old)).status).toBe(401)
  })
})

describe('a probe', () => {
  it('tells what a page cost, and only whom the panel sent', async () => {
    // The token was just replaced, and PHP looks for a changed file every two seconds.
    const isMeasured = async () => Number.isFinite((await measurePage(reeve, blog, '/')).time_us)
    await expect.poll(isMeasured).toBe(true)
    const metrics = await measurePage(reeve, blog, '/')
    expect(metrics.time_us).toBeGreaterThan(1000)
    expect(metrics.queries).toBeGreaterThanOrEqual(0)
    expect(metrics.peak_bytes).toBeGreaterThan(1_000_000)
    const host = `${blog.domain}:${reeve.httpsPort}`
    const now = Date.now() / 1000
    const signed = probeHeader(blog, host, '/', now)
    const forged = [
      'x',
      signed.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      probeHeader(blog, host, '/', now - 300),
      probeHeader(blog, host, '/other/', now),
      probeHeader(other, host, '/', now),
    ]
    for (const header of forged) {
      const page = await cached.see('/', { 'x-reeve-probe': header })
      expect([page.status, page.headers['x-reeve-metrics']]).toEqual([200, undefined])
    }
    expect((await cached.see('/')).headers['x-reeve-metrics']).toBeUndefined()
  })
})
