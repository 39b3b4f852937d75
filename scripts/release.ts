// Builds the release: dist/release/reeve-linux-<architecture>, one executable with everything inside, the list of what
// that is, their checksums and the installer. Two builds of one commit are byte-equal;
// docs/decisions/0009-one-executable.md says how. Usage: node scripts/release.ts [x64] [arm64]
import { createHash } from 'node:crypto'
import { chmod, copyFile, glob, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { build as bundle } from 'esbuild'
import { v8Flags } from '../packaging/v8-flags.ts'
import { type Architecture, checkArchitecture, isArchitecture, provideNode, run } from './node-program.ts'
import { bundledFolders, renderSbom } from './sbom.ts'

const repository = resolve(import.meta.dirname, '..')
const dist = join(repository, 'dist')
const release = join(dist, 'release')

async function packageVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version)
  throw new Error('package.json has no version.')
}

async function bundleProgram(outfile: string): Promise<void> {
  const version = await packageVersion()
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
      __REEVE_VERSION__: JSON.stringify(version),
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
async function buildExecutable(scratch: string, architecture: Architecture): Promise<void> {
  await provideNode(repository, scratch, architecture)
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
  await checkArchitecture(join(scratch, 'reeve'), architecture)
}

async function checksum(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
}

/** The file and, beside it, its checksum in the form of sha256sum(1). */
async function publish(from: string, name: string): Promise<string> {
  const sum = await checksum(from)
  await rename(from, join(release, name))
  await writeFile(join(release, `${name}.sha256`), `${sum}  ${name}\n`)
  return sum
}

async function buildRelease(architecture: Architecture): Promise<void> {
  const started = performance.now()
  const scratch = await mkdtemp(join(dist, '.release-'))
  try {
    const name = `reeve-linux-${architecture}`
    await buildExecutable(scratch, architecture)
    const sha256 = await publish(join(scratch, 'reeve'), name)
    const sbom = join(scratch, 'sbom.json')
    const described = { version: await packageVersion(), architecture, sha256 }
    await writeFile(sbom, await renderSbom(repository, described, await bundledFolders(repository)))
    await publish(sbom, `${name}.cdx.json`)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`Built dist/release/${name} in ${seconds} s, sha256 ${sha256}.`)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : [process.arch]
await run(process.execPath, [join(repository, 'scripts/build.ts')], repository)
await mkdir(release, { recursive: true })
for (const architecture of wanted) {
  if (!isArchitecture(architecture))
    throw new Error(`There is no release for ${architecture}; name x64 or arm64.`)
  await buildRelease(architecture)
}
await copyFile(join(repository, 'packaging/install.sh'), join(release, 'install.sh'))
