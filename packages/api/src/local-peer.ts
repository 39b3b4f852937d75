// A site's own code runs on this machine and could dial the panel's port. Such a connection is closed before
// a byte of it is answered: the kernel's socket table says whose it is.
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { isIPv4, type Socket } from 'node:net'
import { describeError, log } from './log.ts'

/** User ids the agent gives to sites. */
const firstSiteUid = 20_000
const lastSiteUid = 59_999

/** Puts the check in front of everything that the server does with a new connection. */
export function refuseSitePeers(server: Server): void {
  const accept = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    // Without a listener an early reset would end the process.
    const ignore = () => {}
    socket.on('error', ignore)
    isSitePeer(socket)
      .catch((error: unknown) => {
        // No socket table: the panel stays usable, and its log says that this line of defence is missing.
        log('local peers not checked', { error: describeError(error) })
        return false
      })
      .then((isSite) => {
        if (isSite) return socket.destroy()
        for (const listener of accept) listener.call(server, socket)
        return socket.off('error', ignore)
      })
      .catch((error: unknown) => log('connection not accepted', { error: describeError(error) }))
  })
}

async function isSitePeer(socket: Socket): Promise<boolean> {
  const { remoteAddress, remotePort, localPort } = socket
  if (remoteAddress === undefined || remotePort === undefined || localPort === undefined) return true
  if (!/^(?:::ffff:)?127\.|^::1$/i.test(remoteAddress)) return false
  const owner = await ownerOf(remoteAddress, remotePort, localPort)
  // Nobody holds the other end any more: it was closed after the request was sent, and who it was is unknown.
  if (owner === undefined) return true
  return owner >= firstSiteUid && owner <= lastSiteUid
}

const tables = [coalesce(() => readFile('/proc/self/net/tcp', 'latin1')), coalesce(readIpv6Table)]

/** User who holds the socket that talks from that address and port of this machine to `toPort`. */
export async function ownerOf(address: string, port: number, toPort: number): Promise<number | undefined> {
  const from = hexAddresses(address).map((hex) => `${hex}:${hexPort(port)}`)
  const to = `:${hexPort(toPort)}`
  for (const read of tables) {
    // "sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …", see proc(5).
    for (const line of (await read()).split('\n')) {
      if (!from.some((local) => line.includes(local))) continue
      const [, local, remote, , , , , uid, , inode] = line.trim().split(/\s+/)
      if (local === undefined || !from.includes(local) || !remote?.endsWith(to)) continue
      // A socket that its process has closed has no inode and shows user 0.
      return inode === '0' ? undefined : Number(uid)
    }
  }
  return undefined
}

async function readIpv6Table(): Promise<string> {
  // A kernel without IPv6 has no such table.
  return await readFile('/proc/self/net/tcp6', 'latin1').catch(() => '')
}

const hexPort = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')

/** As the tables print it: 32-bit words in the machine's order, which is little-endian wherever this runs. */
function hexAddresses(address: string): string[] {
  const plain = address.replace(/^::ffff:/i, '')
  if (!isIPv4(plain)) return ['00000000000000000000000001000000']
  const word = Buffer.from(plain.split('.').map(Number)).reverse().toString('hex').toUpperCase()
  return [word, `0000000000000000FFFF0000${word}`]
}

/**
 * Walking the table costs milliseconds on a machine with much memory, so all who wait share one walk; each
 * gets one that began after they asked.
 */
function coalesce<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const start = () => {
    next = undefined
    running = work().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (!running) return start()
    next ??= running.then(start, start)
    return next
  }
}
