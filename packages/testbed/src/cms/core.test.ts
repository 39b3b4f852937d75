// Cores from every kind of source, and what a hostile or broken one ends in.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  globSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureCore, listCores } from '../../../agent/src/cms/core.ts'
import { parseCoreSource } from '../../../agent/src/cms/core-source.ts'
import { ensureWooCommerce } from '../../../agent/src/cms/woocommerce.ts'
import { createKeyedLock } from '../../../agent/src/keyed-lock.ts'
import { type Paths, pathsBelow } from '../../../agent/src/paths.ts'
import { privateRoot } from '../private-services.ts'
import { wordpressSource } from '../wordpress-source.ts'

const root = privateRoot()
const lock = createKeyedLock()
let tarball: string
/** The smallest tree that is taken for a WordPress, version 9.9.1. */
const tiny = join(root.path, 'tiny/wordpress')

beforeAll(async () => {
  tarball = await wordpressSource()
  const files = {
    'wp-load.php': '<?php',
    'wp-includes/version.php': "<?php\n$wp_version = '9.9.1';\n",
    'wp-includes/default-constants.php': "<?php define( 'WP_DEFAULT_THEME', 'nine' );",
    'wp-content/themes/nine/style.css': '',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(tiny, name, '..'), { recursive: true })
    writeFileSync(join(tiny, name), text)
  }
}, 300_000)

afterAll(() => root[Symbol.dispose]())

let hosts = 0
const freshPaths = (): Paths => pathsBelow(join(root.path, `host-${++hosts}`))

const archive = (name: string, ...options: string[]): string => {
  const path = join(root.path, name)
  execFileSync('tar', ['-czf', path, ...options])
  return path
}

const leftovers = (paths: Paths) => readdirSync(paths.cores).filter((name) => name.startsWith('.work-'))

test('the real archive becomes a core that only root can change', async () => {
  const paths = freshPaths()
  const core = await ensureCore({ paths, source: parseCoreSource(tarball), lock })
  expect(core.dir).toBe(paths.core(core.version))
  const entries = readdirSync(core.dir, { recursive: true, withFileTypes: true })
  expect(entries.length).toBeGreaterThan(3000)
  const odd = entries.filter((entry) => {
    const { uid, gid, mode } = lstatSync(join(entry.parentPath, entry.name))
    const expected = entry.isDirectory() ? 0o755 : 0o644
    return uid !== 0 || gid !== 0 || (mode & 0o7777) !== expected || !(entry.isDirectory() || entry.isFile())
  })
  expect(odd.map(({ name }) => name)).toEqual([])
  expect(leftovers(paths)).toEqual([])
}, 60_000)

test('asking again unpacks nothing, also for an archive that has gone from the page cache of versions', async () => {
  const paths = freshPaths()
  const source = parseCoreSource(archive('again.tar.gz', '-C', join(tiny, '..'), 'wordpress'))
  const first = await ensureCore({ paths, source, lock })
  const { ino } = statSync(first.dir)
  expect(await ensureCore({ paths, source, lock })).toEqual(first)
  rmSync(join(paths.cores, '.archives'), { recursive: true })
  expect(await ensureCore({ paths, source, lock })).toEqual(first)
  expect(statSync(first.dir).ino).toBe(ino)
})

test('an archive that was replaced is unpacked anew', async () => {
  const paths = freshPaths()
  const path = archive('replaced.tar.gz', '-C', join(tiny, '..'), 'wordpress')
  await ensureCore({ paths, source: parseCoreSource(path), lock })
  const newer = join(root.path, 'newer')
  cpSync(tiny, join(newer, 'wordpress'), { recursive: true })
  writeFileSync(join(newer, 'wordpress/wp-includes/version.php'), "<?php\n$wp_version = '9.10';\n")
  archive('replaced.tar.gz', '-C', newer, 'wordpress')
  utimesSync(path, 1, 1)
  expect((await ensureCore({ paths, source: parseCoreSource(path), lock })).version).toBe('9.10')
  expect(listCores(paths)).toEqual(['9.10', '9.9.1'])
})

test('.tar.xz and folders work, and a folder may go once its core is here', async () => {
  const packed = join(root.path, 'tiny.tar.xz')
  execFileSync('tar', ['-cJf', packed, '-C', join(tiny, '..'), 'wordpress'])
  for (const path of [packed, tiny]) {
    const paths = freshPaths()
    const core = await ensureCore({ paths, source: parseCoreSource(path), lock })
    expect([core.version, core.defaultTheme]).toEqual(['9.9.1', 'nine'])
    expect(readdirSync(core.dir).sort()).toEqual(['wp-content', 'wp-includes', 'wp-load.php'])
  }
})

test('many that ask at once get one core', async () => {
  const paths = freshPaths()
  const source = parseCoreSource(archive('once.tar.gz', '-C', join(tiny, '..'), 'wordpress'))
  const cores = await Promise.all(Array.from({ length: 8 }, () => ensureCore({ paths, source, lock })))
  expect(new Set(cores.map(({ dir }) => dir)).size).toBe(1)
  expect(leftovers(paths)).toEqual([])
})

test('killed at any moment, the next attempt succeeds and leaves nothing', async () => {
  const paths = freshPaths()
  const script = `
    import { ensureCore } from ${JSON.stringify(join(import.meta.dirname, '../../../agent/src/cms/core.ts'))}
    import { pathsBelow } from ${JSON.stringify(join(import.meta.dirname, '../../../agent/src/paths.ts'))}
    import { createKeyedLock } from ${JSON.stringify(join(import.meta.dirname, '../../../agent/src/keyed-lock.ts'))}
    await ensureCore({ paths: pathsBelow(${JSON.stringify(paths.root)}), source: { kind: 'archive', path: ${JSON.stringify(tarball)} }, lock: createKeyedLock() })`
  for (const moment of ['', 'home/tree', 'home/tree/wp-includes', 'home/tree/xmlrpc.php']) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
    const exited = once(child, 'exit')
    await until(() => globSync(join(paths.cores, `.work-${child.pid}-*`, moment)).length > 0)
    child.kill('SIGKILL')
    await exited
    expect([moment, leftovers(paths).length]).toEqual([moment, 1])
    expect(listCores(paths)).toEqual([])
  }
  const core = await ensureCore({ paths, source: parseCoreSource(tarball), lock })
  expect(existsSync(join(core.dir, 'wp-settings.php'))).toBe(true)
  expect(leftovers(paths)).toEqual([])
}, 60_000)

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !isSo(); ) {
    if (Date.now() > end) throw new Error('waited for 20 s')
    await delay(2)
  }
}

const victim = join(root.path, 'victim')

/** Archives that would do harm if root simply unpacked them. */
const hostile: Record<string, (tree: string) => string[]> = {
  'a link out of the tree': (tree) => (symlinkSync('/etc', join(tree, 'etc')), []),
  'a link and a file through it': (tree) => {
    symlinkSync(victim, join(tree, 'out'))
    return ['--transform', 's,^wordpress/wp-load.php$,wordpress/out/pwned,']
  },
  'a name that climbs': () => [
    '--absolute-names',
    '--transform',
    `s,^wordpress/wp-load.php$,wordpress/../../../pwned,`,
  ],
  'an absolute name': () => ['--absolute-names', '--transform', `s,^wordpress/wp-load.php$,${victim}/pwned,`],
  'a device': (tree) => (execFileSync('mknod', [join(tree, 'disk'), 'b', '7', '0']), []),
  'a pipe': (tree) => (execFileSync('mkfifo', [join(tree, 'pipe')]), []),
  'a hard link': (tree) => (linkSync(join(tree, 'wp-load.php'), join(tree, 'second.php')), []),
  'no WordPress': (tree) => (rmSync(join(tree, 'wp-includes'), { recursive: true }), []),
  'a version that is a path': (tree) => (
    writeFileSync(join(tree, 'wp-includes/version.php'), "<?php\n$wp_version = '../../../etc';\n"), []
  ),
}

test.each(Object.keys(hostile))('an archive with %s is refused and touches nothing', async (name) => {
  const paths = freshPaths()
  rmSync(victim, { recursive: true, force: true })
  mkdirSync(victim, { mode: 0o777 })
  const parent = join(root.path, `hostile-${hosts}`)
  cpSync(tiny, join(parent, 'wordpress'), { recursive: true })
  const options = hostile[name]?.(join(parent, 'wordpress')) ?? []
  const path = archive(`hostile-${hosts}.tar.gz`, ...options, '-C', parent, 'wordpress')
  await expect(ensureCore({ paths, source: { kind: 'archive', path }, lock })).rejects.toThrow()
  expect(readdirSync(victim)).toEqual([])
  expect(readdirSync(paths.cores)).toEqual([])
  expect(existsSync(join(paths.cores, '../pwned'))).toBe(false)
})

test('a set-user-id file becomes a plain one', async () => {
  const paths = freshPaths()
  const parent = join(root.path, 'suid')
  cpSync(tiny, join(parent, 'wordpress'), { recursive: true })
  execFileSync('chmod', ['6777', join(parent, 'wordpress/wp-load.php')])
  const source = parseCoreSource(archive('suid.tar.gz', '-C', parent, 'wordpress'))
  const { dir } = await ensureCore({ paths, source, lock })
  expect(statSync(join(dir, 'wp-load.php')).mode & 0o7777).toBe(0o644)
})

test('a folder with a link in it is refused', async () => {
  const parent = join(root.path, 'linked')
  cpSync(tiny, parent, { recursive: true })
  symlinkSync('/etc/shadow', join(parent, 'shadow'))
  const paths = freshPaths()
  await expect(ensureCore({ paths, source: parseCoreSource(parent), lock })).rejects.toThrow(
    'neither a file nor',
  )
  expect(readdirSync(paths.cores)).toEqual([])
})

test('WooCommerce is taken from a zip, an archive and a folder, with or without the outer one', async () => {
  const parent = join(root.path, 'shop')
  mkdirSync(join(parent, 'woocommerce'), { recursive: true })
  writeFileSync(join(parent, 'woocommerce/woocommerce.php'), '<?php /* Plugin Name: WooCommerce */')
  const zip = join(root.path, 'woo.zip')
  execFileSync('php', [
    '-r',
    '$z = new ZipArchive; $z->open( $argv[1], ZipArchive::CREATE ); $z->addFile( $argv[2], "woocommerce/woocommerce.php" ); $z->close();',
    '--',
    zip,
    join(parent, 'woocommerce/woocommerce.php'),
  ])
  const tar = archive('woo.tar.gz', '-C', parent, 'woocommerce')
  for (const source of [zip, tar, parent, join(parent, 'woocommerce')]) {
    const paths = freshPaths()
    const dir = await ensureWooCommerce({ paths, source, lock })
    expect(readFileSync(join(dir, 'woocommerce.php'), 'utf8')).toContain('Plugin Name: WooCommerce')
    expect(lstatSync(dir).uid).toBe(0)
    expect(await ensureWooCommerce({ paths, source, lock })).toBe(dir)
  }
  await expect(ensureWooCommerce({ paths: freshPaths(), source: tiny, lock })).rejects.toThrow(
    'holds no woocommerce/',
  )
})
