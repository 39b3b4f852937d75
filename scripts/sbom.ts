// The list of what is inside the executable, as CycloneDX 1.6 (ECMA-424): every npm package of which a byte is in the
// program or in the web interface, by the lock file's version and checksum, and Node with the libraries in it.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

interface LockEntry {
  version?: string
  integrity?: string
  license?: string
}

export interface Component {
  type: 'library' | 'framework'
  'bom-ref': string
  group?: string
  name: string
  version: string
  purl?: string
  licenses?: { expression: string }[]
  hashes?: { alg: 'SHA-512'; content: string }[]
  components?: Component[]
}

export interface Release {
  version: string
  /** As in the name of the executable. */
  architecture: string
  /** Of the executable. */
  sha256: string
}

/** `folders` is what `bundledFolders` found. */
export async function renderSbom(
  repository: string,
  release: Release,
  folders: readonly string[],
): Promise<string> {
  // npm's own format, lockfileVersion 3.
  const lock = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>
  }
  const components = folders.map((folder) => packageComponent(folder, lock.packages[folder]))
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(release.sha256)}`,
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': 'reeve',
        name: `reeve-linux-${release.architecture}`,
        version: release.version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        hashes: [{ alg: 'SHA-256', content: release.sha256 }],
      },
    },
    components: [nodeComponent(release.architecture, lock.packages), ...components],
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** Folders in node_modules of which something is left after bundling, in the order of their names. */
export async function bundledFolders(repository: string): Promise<string[]> {
  const folders = new Set<string>()
  for (const entry of ['packaging/installed.ts', 'packages/web/src/app/main.tsx']) {
    const { metafile } = await build({
      absWorkingDir: repository,
      entryPoints: [entry],
      bundle: true,
      write: false,
      metafile: true,
      outdir: 'nowhere',
      platform: entry.endsWith('.tsx') ? 'browser' : 'node',
      format: entry.endsWith('.tsx') ? 'esm' : 'cjs',
      target: 'es2024',
      jsx: 'automatic',
      loader: { '.css': 'empty', '.svg': 'empty', '.woff2': 'empty' },
      define: {
        'process.env.NODE_ENV': '"production"',
        'import.meta.url': '""',
        'import.meta.dirname': '""',
      },
      logLevel: 'silent',
    })
    for (const output of Object.values(metafile.outputs)) {
      for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
        const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]
        if (folder !== undefined && bytesInOutput > 0) folders.add(folder)
      }
    }
  }
  return [...folders].sort()
}

function packageComponent(folder: string, entry: LockEntry | undefined): Component {
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
  if (!entry?.version)
    throw new Error(`package-lock.json has no ${folder}, which is in the bundle; run npm install.`)
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const purl = `pkg:npm/${name.replace('@', '%40')}@${entry.version}`
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group === undefined ? {} : { group }),
    name: short ?? name,
    version: entry.version,
    purl,
    ...(entry.license === undefined ? {} : { licenses: [{ expression: entry.license }] }),
    ...(entry.integrity === undefined ? {} : { hashes: [sha512Of(entry.integrity)] }),
  }
}

/** The lock file's integrity is the same checksum in base64 (Subresource Integrity). */
function sha512Of(integrity: string): { alg: 'SHA-512'; content: string } {
  const encoded = /^sha512-(.+)$/.exec(integrity)?.[1]
  if (encoded === undefined) throw new Error(`The lock file has a checksum of an unknown kind: ${integrity}.`)
  return { alg: 'SHA-512', content: Buffer.from(encoded, 'base64').toString('hex') }
}

/** Figures of its interfaces, which are no parts. */
const notParts = new Set(['node', 'modules', 'napi'])

function nodeComponent(architecture: string, packages: Record<string, LockEntry>): Component {
  const folder = `node_modules/node-linux-${architecture}`
  const component = packageComponent(folder, packages[folder])
  // The build runs on the same version, whose parts are those of the other architecture too.
  const parts = Object.entries(process.versions).filter(([name]) => !notParts.has(name))
  return {
    ...component,
    type: 'framework',
    components: parts
      .map(([name, version = '']) => ({
        type: 'library' as const,
        'bom-ref': `${component['bom-ref']}#${name}`,
        name,
        version,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** The same release has the same number: the bits of a checksum in the form of RFC 9562, version 8. */
function uuidOf(text: string): string {
  const digits = createHash('sha256').update(`sbom ${text}`).digest('hex')
  const variant = ((Number.parseInt(digits[16] ?? '0', 16) & 0x3) | 0x8).toString(16)
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-')
}
