// What the rest of the agent knows of the program that serves SFTP.

export interface SftpServer {
  readonly port: number
  /** Has it serve the members of the group, or throws and leaves everything as it was. */
  open(): Promise<void>
  /** For when no site has SFTP any more. */
  close(): Promise<void>
  /** Arguments of sshd that make it read the configuration it serves by. */
  readonly configuration: readonly string[]
}
