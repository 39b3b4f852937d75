// Tells systemd that the process is ready, and that it is alive (sd_notify(3)). The protocol is a datagram to a Unix
// socket, which Node cannot send; libc can, and calling it needs no program and no native addon.
import { closeSync, writeSync } from 'node:fs'

export interface Supervisor {
  /** The process does its work now. From here on it must tell that it is alive. */
  ready(): void
}

/** From sys/socket.h; the same on x86_64 and aarch64. */
const AF_UNIX = 1
const SOCK_DGRAM = 2
const SOCK_CLOEXEC = 0o2000000

/** Does nothing where no systemd listens. */
export async function connectSupervisor(env: NodeJS.ProcessEnv): Promise<Supervisor> {
  const path = env['NOTIFY_SOCKET']
  if (!path) return { ready: () => undefined }
  const send = await sender(path)
  // The limit in microseconds; a third of it leaves room for a busy machine.
  const everyMs = Number(env['WATCHDOG_USEC'] ?? 0) / 1000 / 3
  return {
    ready: () => {
      send('READY=1')
      if (everyMs > 0) setInterval(() => tryTo(() => send('WATCHDOG=1')), everyMs).unref()
    },
  }
}

/** systemd itself may be restarting; one lost sign of life is no reason to end. */
function tryTo(work: () => void): void {
  try {
    work()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  }
}

async function sender(path: string): Promise<(message: string) => void> {
  // Loaded here, not above: only an installed server needs it.
  const { dlopen } = await import('node:ffi')
  const { functions: libc } = dlopen(null, {
    socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
    connect: { arguments: ['i32', 'pointer', 'u32'], return: 'i32' },
  })
  const address = unixAddress(path)
  // A socket for each message: systemd makes a new one when it is updated.
  return (message) => {
    const fd = libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
    if (fd < 0) throw new Error('No socket could be made to tell systemd about this process.')
    try {
      if (libc.connect(fd, address, address.length) !== 0) {
        throw new Error(`systemd cannot be told about this process: nothing listens at ${path}.`)
      }
      writeSync(fd, message)
    } finally {
      closeSync(fd)
    }
  }
}

/** struct sockaddr_un of unix(7); a leading @ stands for a name outside of the file system. */
export function unixAddress(path: string): Buffer {
  const family = Buffer.alloc(2)
  family.writeUInt16LE(AF_UNIX)
  const name = path.startsWith('@') ? `\0${path.slice(1)}` : `${path}\0`
  return Buffer.concat([family, Buffer.from(name)])
}
