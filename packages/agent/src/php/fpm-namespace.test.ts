import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pathsBelow } from '../paths.ts'
import { inNamespace } from './fpm-namespace.ts'

const site = 20_001
let base: string

beforeEach(() => {
  base = mkdtempSync('/var/tmp/reeve-namespace-')
  chmodSync(base, 0o755)
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

/** Runs a shell line in the namespace, as a site's user, with the usual umask. */
async function inside(root: string, line: string): Promise<string> {
  mkdirSync(root, { recursive: true, mode: 0o755 })
  const args = await inNamespace(pathsBelow(root), [
    ...['/usr/bin/setpriv', `--reuid=${site}`, `--regid=${site}`, '--clear-groups', '--'],
    ...['/bin/sh', '-c', `umask 022; ${line}`],
  ])
  return execFileSync('/usr/bin/unshare', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

describe('the namespace of PHP-FPM', () => {
  it.each(['/tmp', '/var/tmp', '/dev/shm'])('gives a file in %s to its maker alone', async (folder) => {
    expect(
      await inside(base, `echo x >${folder}/made; mkdir ${folder}/folder; stat -c %a ${folder}/made`),
    ).toBe('600\n')
    const { phpTemporary } = pathsBelow(base)
    expect(statSync(join(phpTemporary, 'folder')).mode & 0o777).toBe(0o700)
    expect(existsSync(join(folder, 'made'))).toBe(false)
    await expect(inside(base, `ls ${folder}`)).rejects.toThrow(/Permission denied/)
  })

  it.each(['--shmem 100', '--semaphore 1', '--queue'])('makes no System V object: ipcmk %s', async (kind) => {
    await expect(inside(base, `ipcmk ${kind}`)).rejects.toThrow(/create .* failed/)
    // Outside it does, so that the refusal is the namespace's.
    const made = execFileSync('/usr/bin/ipcmk', kind.split(' '), { encoding: 'utf8' })
    const [id = ''] = /\d+$/.exec(made.trim()) ?? []
    const remove = { '--shmem 100': '-m', '--semaphore 1': '-s', '--queue': '-q' }[kind] ?? ''
    execFileSync('/usr/bin/ipcrm', [remove, id])
  })

  it('shows the processes of one user', async () => {
    const pids = (await inside(base, 'ls /proc')).split('\n').filter((name) => /^\d+$/.test(name))
    expect(pids.length).toBeLessThan(5)
  })

  it.each(['', 'a', 'a/b'])(
    'keeps a root prefix in sight that lies below a covered folder: %j',
    async (below) => {
      const root = join(base, below)
      mkdirSync(root, { recursive: true, mode: 0o755 })
      mkdirSync(join(root, 'run'))
      expect(await inside(root, `ls ${root}`)).toContain('run')
    },
  )

  it('does not start when a site has put something in the place of the root prefix', async () => {
    await inside(base, 'true')
    const { phpTemporary } = pathsBelow(base)
    const [place = ''] = readdirSync(phpTemporary)
    chownSync(join(phpTemporary, place), site, site)
    await expect(inside(base, 'true')).rejects.toThrow(/not a directory of root/)
  })
})
