// The distribution's own sshd, with one more file: a block that applies to the users of sites. How an administrator
// signs in is in other files, which nobody here touches.
import { existsSync, mkdirSync, readFileSync, unlinkSync } from 'node:fs'
import { AppError } from '@reeve/contract/errors.ts'
import { renderSftpUsers } from '../access/render-sshd.ts'
import type { SftpServer } from '../access/sftp-server.ts'
import { run } from '../command.ts'
import { replaceFile, writeManagedFile } from '../managed-file.ts'
import type { ServiceContext } from './embedded.ts'
import { systemctl } from './unit.ts'

export async function installedSftp({
  paths,
  registry,
}: Pick<ServiceContext, 'paths' | 'registry'>): Promise<SftpServer> {
  return {
    port: await listeningPort(),
    configuration: [],
    async open() {
      const text = renderSftpUsers(paths)
      // Root alone can go in, and sshd goes in as root.
      mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
      await refuseWhatSshdRefuses(paths.sshdDropIn, text)
      const file = { path: paths.sshdDropIn, text, mode: 0o600, renderer: 'access/sshd', siteId: null }
      const written = writeManagedFile(registry, file)
      try {
        await run('sshd', ['-t'], { timeoutMs: 10_000 })
        // Either starts it when it does not run.
        await systemctl(written.changed ? 'reload-or-restart' : 'start', 'ssh.service')
      } catch (error) {
        written.undo()
        throw error
      }
    },
    // The block stays: it applies to a group that has no members then.
    close: async () => {},
  }
}

const mainConfiguration = '/etc/ssh/sshd_config'

/** sshd reads the new block together with all that the administrator has, before that block is where it takes effect. */
export async function refuseWhatSshdRefuses(dropIn: string, text: string): Promise<void> {
  const main = readFileSync(mainConfiguration, 'utf8')
  if (!/^\s*Include\s+"?\/etc\/ssh\/sshd_config\.d\/\*\.conf"?\s*$/im.test(main)) {
    throw new AppError(
      'refused',
      `${mainConfiguration} does not read /etc/ssh/sshd_config.d/*.conf, so SFTP cannot be set up. Put "Include /etc/ssh/sshd_config.d/*.conf" at its beginning.`,
    )
  }
  const candidate = `${dropIn}.candidate`
  replaceFile(candidate, `${main}\n${text}`, { mode: 0o600 })
  try {
    await run('sshd', ['-t', '-f', candidate], { timeoutMs: 10_000 })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError(
      'refused',
      `sshd would not take the settings for SFTP, so they were not installed. ${why}`,
    )
  } finally {
    if (existsSync(candidate)) unlinkSync(candidate)
  }
}

async function listeningPort(): Promise<number> {
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const anybody = 'user=root,host=client.invalid,addr=192.0.2.1,laddr=192.0.2.2,lport=22'
  const asked = run('sshd', ['-T', '-C', anybody], { timeoutMs: 10_000 })
  // A configuration that sshd itself refuses is told of when SFTP is turned on.
  const { stdout } = await asked.catch(() => ({ stdout: '' }))
  return Number(/^port (\d+)$/m.exec(stdout)?.[1] ?? 22)
}
