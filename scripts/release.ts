// Builds the release: dist/release/reeve-linux-<architecture>, one executable with everything inside, its checksum
// and the installer. Two builds of one commit are byte-equal; docs/decisions/0009-one-executable.md says how.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmod,
  copyFile,
  glob,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { build as bundle } from 'esbuild'
import { v8Flags } from '../packaging/v8-flags.ts'
import { exitCode } from './exit-code.ts'

const repository = resolve(import.meta.dirname, '..')
const dist = join(repository, 'dist')
const release = join(dist, 'release')

async function run(program: string, args: readonly string[], cwd = repository): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
  const code = await exitCode(child)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed with exit code ${code}.`)
}

async function bundleProgram(outfile: string): Promise<void> {
  const manifest: unknown = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  if (!isManifest) throw new Error('package.json has no version.')
  await bundle({
    absWorkingDir: repository,
    entryPoints: ['packaging/installed.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'warning',
    define: {
      // A file that runs from inside an executable has no folder of its own.
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
      'import.meta.url': '__bundleUrl',
      __REEVE_VERSION__: JSON.stringify(String(manifest.version)),
    },
    banner: { js: 'const __bundleUrl=require("node:url").pathToFileURL(__filename).href;' },
  })
}

/** Everything the executable carries, by the name it is asked for. Sorted: the order is part of the bytes. */
async function collectAssets(): Promise<Record<string, string>> {
  const parts = [
    { from: join(dist, 'web'), as: 'web' },
    { from: join(dist, 'cms'), as: 'cms' },
    { from: join(repository, 'packaging/system'), as: 'system' },
  ]
  const assets: [name: string, path: string][] = [
    ['system/licenses.txt', join(dist, 'reeve.cjs.LEGAL.txt')],
    ['system/LICENSE', join(repository, 'LICENSE')],
  ]
  for (const { from, as } of parts) {
    for await (const entry of glob('**/*', { cwd: from, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      assets.push([`${as}/${relative(from, path)}`, path])
    }
  }
  return Object.fromEntries(assets.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Makes `reeve` in the scratch folder, all by relative names: the path of `main` becomes part of the executable. */
async function buildExecutable(scratch: string): Promise<void> {
  const node = join(scratch, 'node')
  await copyFile(await realpath(process.execPath), node)
  await chmod(node, 0o755)
  // Before the build: an executable that is stripped afterwards does not start.
  await run('/usr/bin/strip', ['-s', node])
  await bundleProgram(join(scratch, 'reeve.cjs'))
  await writeFile(
    join(scratch, 'sea.json'),
    JSON.stringify({
      main: 'reeve.cjs',
      mainFormat: 'commonjs',
      executable: 'node',
      output: 'reeve',
      disableExperimentalSEAWarning: true,
      useCodeCache: false,
      execArgv: v8Flags,
      // NODE_OPTIONS of whoever starts it would otherwise be code inside it.
      execArgvExtension: 'none',
      assets: await collectAssets(),
    }),
  )
  await run(process.execPath, ['--build-sea', 'sea.json'], scratch)
  await chmod(join(scratch, 'reeve'), 0o755)
}

async function checksum(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
}

async function main(): Promise<void> {
  const started = performance.now()
  await run(process.execPath, [join(repository, 'scripts/build.ts')])
  await mkdir(release, { recursive: true })
  const scratch = await mkdtemp(join(dist, '.release-'))
  try {
    const name = `reeve-linux-${process.arch}`
    const built = join(scratch, 'reeve')
    await buildExecutable(scratch)
    const sum = await checksum(built)
    await rename(built, join(release, name))
    await writeFile(join(release, `${name}.sha256`), `${sum}  ${name}\n`)
    await copyFile(join(repository, 'packaging/install.sh'), join(release, 'install.sh'))
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`Built dist/release/${name} in ${seconds} s, sha256 ${sum}.`)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

await main()
