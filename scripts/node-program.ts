// Node as it is put into the executable: the pinned package's, for this machine's processor or for another one.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, copyFile, open, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCode } from './exit-code.ts'

/** e_machine of an ELF header (elf(5)). */
const machines = { x64: 62, arm64: 183 } as const
export type Architecture = keyof typeof machines

export const isArchitecture = (text: string): text is Architecture => Object.hasOwn(machines, text)

export async function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
  const code = await exitCode(child)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed with exit code ${code}.`)
}

/** Puts it into the folder as `node`. */
export async function provideNode(repository: string, folder: string, wanted: Architecture): Promise<void> {
  const node = join(folder, 'node')
  if (wanted === process.arch) {
    await copyFile(await realpath(process.execPath), node)
    await chmod(node, 0o755)
    // Before the build: an executable that is stripped afterwards does not start.
    await run('/usr/bin/strip', ['-s', node], folder)
  } else {
    await fetchNode(repository, folder, wanted)
  }
  await checkArchitecture(node, wanted)
}

/** npm installs only what fits this machine; the other package is fetched and held against the lock file. */
async function fetchNode(repository: string, folder: string, wanted: Architecture): Promise<void> {
  const name = `node-linux-${wanted}`
  // npm's own format, lockfileVersion 3.
  const lock = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string }>
  }
  const { version = '', integrity } = lock.packages[`node_modules/${name}`] ?? {}
  await run('npm', ['pack', '--silent', `${name}@${version}`], folder)
  const archive = join(folder, `${name}-${version}.tgz`)
  const found = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')
  if (integrity !== `sha512-${found}`) {
    throw new Error(
      `${name}@${version} of the registry is not what package-lock.json names. Nothing was built from it.`,
    )
  }
  await run('/usr/bin/tar', ['-xzf', archive, '--strip-components=2', 'package/bin/node'], folder)
}

/** Throws unless the file is an ELF executable for that processor. */
export async function checkArchitecture(path: string, wanted: Architecture): Promise<void> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(20), 0, 20, 0)
    const isElf = buffer.subarray(0, 4).equals(Buffer.from('\x7fELF', 'latin1'))
    if (!isElf || buffer.readUInt16LE(18) !== machines[wanted]) {
      throw new Error(`${path} is not an executable for ${wanted}.`)
    }
  } finally {
    await file.close()
  }
}
