// Builds what `reeve` runs from: dist/reeve.cjs (API, agent, embedded host), dist/web and dist/cms.
// A part whose inputs did not change is left alone. Usage: node scripts/build.ts [reeve] [web] [cms]
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, glob, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build as bundle } from 'esbuild'
import { exitCode } from './exit-code.ts'

const repository = resolve(import.meta.dirname, '..')
const dist = join(repository, 'dist')

interface Part {
  /** Globs of everything that decides the result; the lock file and this script count for every part. */
  inputs: readonly string[]
  outputs: readonly string[]
  build(scratch: string): Promise<void>
}

const parts: Readonly<Record<string, Part>> = {
  reeve: {
    inputs: ['package.json', 'packaging/**/*.ts', 'packages/{contract,api,agent,cli}/src/**/*'],
    outputs: ['reeve.cjs'],
    build: buildProgram,
  },
  web: {
    inputs: ['packages/contract/src/**/*', 'packages/web/{*,public/**/*,src/**/*}'],
    outputs: ['web'],
    build: buildWeb,
  },
  cms: {
    inputs: ['packages/wordpress/{runner,connector,object-cache}/**/*'],
    outputs: ['cms'],
    build: copyCmsParts,
  },
}

async function buildProgram(scratch: string): Promise<void> {
  const version = await packageVersion()
  await bundle({
    absWorkingDir: repository,
    entryPoints: ['packaging/reeve.ts'],
    outfile: join(scratch, 'reeve.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    // Identifiers stay as written, so that a stack trace in a log still names the function.
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'external',
    legalComments: 'linked',
    logLevel: 'warning',
    define: {
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
      'import.meta.url': '__bundleUrl',
      __REEVE_VERSION__: JSON.stringify(version),
    },
    banner: { js: 'const __bundleUrl=require("node:url").pathToFileURL(__filename).href;' },
  })
  for (const name of ['reeve.cjs', 'reeve.cjs.map', 'reeve.cjs.LEGAL.txt']) await replace(scratch, name)
}

async function buildWeb(scratch: string): Promise<void> {
  const vite = join(repository, 'node_modules/vite/bin/vite.js')
  const outDir = join(scratch, 'web')
  const args = [vite, 'build', 'packages/web', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn']
  const child = spawn(process.execPath, args, { cwd: repository, stdio: 'inherit' })
  const code = await exitCode(child)
  if (code !== 0)
    throw new Error(`vite could not build packages/web (exit code ${code}); its message is above.`)
  await replace(scratch, 'web')
}

async function copyCmsParts(scratch: string): Promise<void> {
  for (const name of ['runner', 'connector', 'object-cache']) {
    const source = join(repository, 'packages/wordpress', name)
    await cp(source, join(scratch, 'cms', name), { recursive: true })
  }
  await replace(scratch, 'cms')
}

/** Moves one result into dist; whoever reads dist sees the old one or the new one, never a half. */
async function replace(scratch: string, name: string): Promise<void> {
  const from = join(scratch, name)
  if (!(await exists(from))) return
  const to = join(dist, name)
  await rename(to, join(scratch, `${name}.old`)).catch(ignoreMissing)
  await rename(from, to)
}

async function digest(part: Part): Promise<string> {
  const patterns = [...part.inputs, 'package-lock.json', 'scripts/build.ts']
  const files = await Array.fromAsync(glob(patterns, { cwd: repository, withFileTypes: true }))
  const paths = files
    .filter((file) => file.isFile() && !file.name.endsWith('.test.ts'))
    .map((file) => join(file.parentPath, file.name))
  const hash = createHash('sha256')
  for (const path of new Set(paths.sort())) {
    hash.update(path.slice(repository.length)).update('\0')
    hash.update(await readFile(path)).update('\0')
  }
  return hash.digest('hex')
}

async function packageVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version)
  throw new Error('package.json has no version.')
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

async function buildPart(name: string, part: Part): Promise<void> {
  const stamp = join(dist, `.${name}.sha256`)
  const wanted = await digest(part)
  const present = (await Promise.all(part.outputs.map((output) => exists(join(dist, output))))).every(Boolean)
  if (present && (await readFile(stamp, 'utf8').catch(() => '')) === wanted) return
  const started = performance.now()
  const scratch = await mkdtemp(join(dist, '.build-'))
  try {
    await part.build(scratch)
    await writeFile(join(scratch, 'stamp'), wanted)
    await rename(join(scratch, 'stamp'), stamp)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  console.log(`Built ${part.outputs.map((output) => `dist/${output}`).join(', ')} in ${seconds(started)} s.`)
}

const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1)

await mkdir(dist, { recursive: true })
const names = process.argv.slice(2)
for (const name of names.length > 0 ? names : Object.keys(parts)) {
  const part = parts[name]
  if (!part) throw new Error(`Unknown part "${name}"; the parts are ${Object.keys(parts).join(', ')}.`)
  await buildPart(name, part)
}
