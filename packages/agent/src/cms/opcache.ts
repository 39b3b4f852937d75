// Compiled WordPress, shared by all pools of a PHP version. A reload of PHP-FPM empties the cache in memory; with
// these files a page is then loaded, not compiled. Root's and read-only: no site can plant code in them.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { PhpVersion } from '@reeve/contract/primitives.ts'
import { runAsSite } from '../as-site-user.ts'
import { phpProgram, programPath } from '../command.ts'
import type { Paths } from '../paths.ts'
import { fpmBinary } from '../php/versions.ts'
import type { Core } from './core.ts'
import { removeRootTree, settleTree } from './root-tree.ts'
import { openScratch, type Scratch } from './scratch.ts'

/** What every page runs; the files of a release are its own and compile on first use. */
const compiledParts = ['wp-includes', 'wp-admin/includes']

// A constant program; the list of files comes by standard input, how far it came goes to standard output.
const compile = `foreach (json_decode(stream_get_contents(STDIN)) as $at => $file) {
  echo $at, "\\n";
  @opcache_compile_file($file);
}`

/** Compiles the core for this PHP unless that was done; true when it was done now. */
export async function seedOpcache(paths: Paths, core: Core, version: PhpVersion): Promise<boolean> {
  const cache = paths.opcacheFiles(version)
  const marker = join(cache, `.seeded-${core.version}-${buildOf(version)}`)
  if (existsSync(marker) || !existsSync(programPath(phpProgram(version)))) return false
  await using scratch = openScratch(dirname(cache))
  const compiled = join(scratch.site.home, 'compiled')
  mkdirSync(compiled, { mode: 0o777 })
  settleTree(compiled, scratch.site.uid, scratch.site.gid)
  // Some files declare the functions of others, which ends the program; a new one goes on behind such a file.
  for (let rest = phpFilesOf(core); rest.length > 0; )
    rest = await compileSome(scratch, core, version, compiled, rest)
  settleTree(compiled, 0, 0)
  for (const systemId of readdirSync(compiled)) adopt(compiled, cache, join(systemId, core.dir))
  writeFileSync(marker, '')
  return true
}

/** Compiles until the end or a file that cannot be compiled beside the others; returns what is left behind it. */
async function compileSome(
  scratch: Scratch,
  core: Core,
  version: PhpVersion,
  compiled: string,
  files: readonly string[],
): Promise<string[]> {
  const settings = [
    'opcache.enable_cli=1',
    `opcache.file_cache=${compiled}`,
    'opcache.file_cache_only=1',
    'opcache.file_update_protection=0',
    'display_errors=0',
    'memory_limit=512M',
  ]
  const args = [...settings.flatMap((line) => ['-d', line]), '-r', compile]
  const { code, stdout } = await runAsSite(scratch.site, phpProgram(version), args, {
    input: JSON.stringify(files),
    timeoutMs: 120_000,
    readOnly: [core.dir],
    accept: [0, 255],
  })
  const last = Number(stdout.trimEnd().split('\n').at(-1))
  return code === 0 || !Number.isInteger(last) ? [] : files.slice(last + 1)
}

/** Another build of PHP uses other files. */
function buildOf(version: PhpVersion): string {
  const { size, mtimeMs } = statSync(fpmBinary(version))
  return createHash('sha256').update(`${size} ${mtimeMs}`).digest('hex').slice(0, 12)
}

function adopt(from: string, to: string, tree: string): void {
  mkdirSync(dirname(join(to, tree)), { recursive: true, mode: 0o755 })
  removeRootTree(join(to, tree))
  renameSync(join(from, tree), join(to, tree))
}

function phpFilesOf(core: Core): string[] {
  const parts = [...compiledParts, join('wp-content/themes', core.defaultTheme)]
  return parts.flatMap((part) =>
    readdirSync(join(core.dir, part), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.php'))
      .map((entry) => join(core.dir, relative(core.dir, entry.parentPath), entry.name)),
  )
}
