// What sshd does for the users of sites: SFTP inside the site's directory, and nothing else that SSH can do.
import type { Paths } from '../paths.ts'
import { integerValue, pathValue, userValue } from '../render-values.ts'

/** Members of it may sign in over SFTP; only sites' users are. */
export const sftpGroup = 'reeve-sftp'

/** Settings that apply to a site's user whatever else is configured, as `sshd -T` prints them. */
export const sftpSettings = [
  ['ForceCommand', 'internal-sftp -u 0022'],
  ['AuthenticationMethods', 'publickey password'],
  ['PasswordAuthentication', 'yes'],
  ['PubkeyAuthentication', 'yes'],
  ['KbdInteractiveAuthentication', 'no'],
  ['HostbasedAuthentication', 'no'],
  ['GSSAPIAuthentication', 'no'],
  ['PermitEmptyPasswords', 'no'],
  ['AuthorizedKeysCommand', 'none'],
  ['AuthorizedPrincipalsFile', 'none'],
  ['TrustedUserCAKeys', 'none'],
  ['DisableForwarding', 'yes'],
  ['AllowTcpForwarding', 'no'],
  ['AllowStreamLocalForwarding', 'no'],
  ['AllowAgentForwarding', 'no'],
  ['X11Forwarding', 'no'],
  ['PermitTunnel', 'no'],
  ['GatewayPorts', 'no'],
  ['PermitTTY', 'no'],
  ['PermitUserRC', 'no'],
  ['MaxSessions', '10'],
  ['MaxAuthTries', '4'],
  ['ClientAliveInterval', '60'],
  ['ClientAliveCountMax', '3'],
] as const

/** A block that ends with the file it stands in, so that it changes nothing for anybody else. */
export function renderSftpUsers(paths: Paths): string {
  const keys = pathValue('folder of keys', paths.sshKeys)
  const settings = [['ChrootDirectory', '%h'], ['AuthorizedKeysFile', `${keys}/%u`], ...sftpSettings]
  return `Match Group ${userValue('SFTP group', sftpGroup)}
${settings.map(([name, value]) => `  ${name} ${value}\n`).join('')}`
}

export interface SshdInput {
  port: number
}

/** The whole configuration of a server of our own, which knows nobody but the users of sites. */
export function renderSshd(paths: Paths, { port }: SshdInput): string {
  return `Port ${integerValue('SFTP port', port, 1, 65_535)}
HostKey ${pathValue('host key', paths.sshHostKey)}
PidFile none
UsePAM no
UseDNS no
AllowGroups ${userValue('SFTP group', sftpGroup)}
PermitRootLogin no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitUserEnvironment no
AuthorizedKeysFile none
LoginGraceTime 30
MaxStartups 20:50:60
LogLevel VERBOSE
Subsystem sftp internal-sftp

${renderSftpUsers(paths)}`
}
