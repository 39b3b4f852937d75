// The released executable: the same program, with the web UI and the WordPress parts inside, and `/` as its root.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { getAsset, getAssetKeys } from 'node:sea'

process.env['REEVE_ROOT'] ??= '/'

/** Writes the files of one part, or of all, and answers how many. Modes do not depend on the umask. */
function unpack(part: string, target: string): number {
  process.umask(0o022)
  const names = getAssetKeys().filter((name) => name.startsWith(part))
  for (const name of names) {
    const path = join(target, name)
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
    writeFileSync(path, Buffer.from(getAsset(name)), { mode: name.endsWith('.sh') ? 0o755 : 0o644 })
  }
  return names.length
}

/** A folder of this process: systemd's, which ends with the service, or a temporary one. */
function ownFolder(): string {
  return process.env['RUNTIME_DIRECTORY']?.split(':')[0] ?? mkdtempSync(join(tmpdir(), 'reeve-'))
}

function provide(variable: string, part: string): void {
  if (process.env[variable]) return
  const folder = ownFolder()
  unpack(`${part}/`, folder)
  process.env[variable] = join(folder, part)
}

function uninstall(args: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-uninstall-'))
  unpack('system/', folder)
  const child = spawn('/bin/bash', [join(folder, 'system/uninstall.sh'), ...args], { stdio: 'inherit' })
  child.once('exit', (code) => {
    process.exitCode = code ?? 1
  })
}

async function main(command: string | undefined): Promise<void> {
  switch (command) {
    case 'unpack': {
      const target = process.argv[3]
      if (!target) throw new Error('Name the folder to unpack into: reeve unpack <folder>')
      process.stdout.write(`Unpacked ${unpack('', target)} files into ${target}.\n`)
      return
    }
    case 'uninstall':
      return uninstall(process.argv.slice(3))
    case 'embedded':
      throw new Error(
        'The embedded run belongs to a checkout: npm start. This executable runs as two services.',
      )
    case 'api':
      provide('REEVE_WEB', 'web')
      break
    case 'agent':
      provide('REEVE_CMS_PARTS', 'cms')
      break
    default:
      // Every other command needs nothing from inside the executable.
      break
  }
  await import('./reeve.ts')
}

main(process.argv[2]).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
