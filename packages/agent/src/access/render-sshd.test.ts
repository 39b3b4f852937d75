import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathsBelow } from '../paths.ts'
import { refuseWhatSshdRefuses } from '../services/installed-sftp.ts'
import { renderSftpUsers, renderSshd, sftpGroup, sftpSettings } from './render-sshd.ts'

const folder = mkdtempSync('/var/tmp/reeve-sshd-')
const hostKey = join(folder, 'host')
beforeAll(() => {
  mkdirSync('/run/sshd', { recursive: true })
  execFileSync('/usr/bin/ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey])
})
afterAll(() => rmSync(folder, { recursive: true }))

const paths = pathsBelow('/var/lib/reeve-embedded')

/** What sshd makes of the text, for somebody who is in a group or is not. */
function sshd(text: string, ...args: string[]) {
  const path = join(folder, 'config')
  writeFileSync(path, text)
  const { status, stdout, stderr } = spawnSync('/usr/sbin/sshd', [...args, '-f', path], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

describe('a server of our own', () => {
  const text = renderSshd(paths, { port: 2222 })

  it('is configured by this file', async () => {
    await expect(text).toMatchFileSnapshot('golden/sshd_config')
  })

  it('is taken by sshd without a word', () => {
    expect(sshd(text.replace(paths.sshHostKey, hostKey), '-t')).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('lets nobody in who is not in the group', () => {
    const { stdout } = sshd(
      text.replace(paths.sshHostKey, hostKey),
      ...['-T', '-C', 'user=root,host=h,addr=192.0.2.1,laddr=192.0.2.2,lport=2222'],
    )
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([`allowgroups ${sftpGroup}`, 'permitrootlogin no', 'passwordauthentication no']),
    )
  })
})

describe("the block in the administrator's server", () => {
  const block = renderSftpUsers(pathsBelow('/'))
  const administrators = `HostKey ${hostKey}\nPort 2200\nX11Forwarding yes\nPermitRootLogin yes\nAuthenticationMethods publickey\n`
  const effective = (text: string, user: string) =>
    sshd(text, '-T', '-C', `user=${user},host=h,addr=192.0.2.1,laddr=192.0.2.2,lport=2200`)
      .stdout.toLowerCase()
      .split('\n')

  it('is this file', async () => {
    await expect(block).toMatchFileSnapshot('golden/reeve.conf')
  })

  it('changes nothing for anybody else, wherever it stands', () => {
    const include = join(folder, 'reeve.conf')
    writeFileSync(include, block)
    const without = effective(administrators, 'root')
    expect(without).toContain('x11forwarding yes')
    expect(effective(`Include ${include}\n${administrators}`, 'root')).toEqual(without)
    expect(effective(`${administrators}${block}`, 'root')).toEqual(without)
  })

  it("confines a member against all that the administrator's own settings say", () => {
    // `daemon` is a member of the group `daemon` on every Debian.
    const forDaemon = block.replace(`Match Group ${sftpGroup}`, 'Match Group daemon')
    const found = effective(
      `${administrators}AllowTcpForwarding yes\nForceCommand /bin/sh\n${forDaemon}`,
      'daemon',
    )
    for (const [name, value] of sftpSettings) {
      if (name === 'GSSAPIAuthentication' || value === 'none') continue // printed only when it is set to something
      expect(found).toContain(`${name} ${value}`.toLowerCase())
    }
    expect(found).toContain('chrootdirectory %h')
    expect(found).toContain('authorizedkeysfile /etc/reeve/ssh-keys/%u')
  })

  it('is not installed when sshd refuses it', async () => {
    const dropIn = join(folder, 'drop-in.conf')
    await refuseWhatSshdRefuses(dropIn, block)
    await expect(refuseWhatSshdRefuses(dropIn, `${block}  ForceComand typo\n`)).rejects.toThrow(
      /sshd would not take the settings for SFTP, so they were not installed\.[^]*Bad configuration option: ForceComand/i,
    )
  })
})

it.each([0, 65_536, 22.5])('refuses the port %d', (port) => {
  expect(() => renderSshd(paths, { port })).toThrow('SFTP port')
})
