import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import type { Door } from './host.ts'

/** So many visitors who have connected and say nothing. */
export async function crowdAt({ address, port }: Door, size: number): Promise<Disposable> {
  const sockets: Socket[] = []
  const leave = () => {
    for (const socket of sockets) socket.destroy()
  }
  try {
    while (sockets.length < size) {
      const batch = Array.from({ length: Math.min(200, size - sockets.length) }, () =>
        connect({ host: address, port }).on('error', () => undefined),
      )
      sockets.push(...batch)
      await Promise.all(batch.map((socket) => once(socket, 'connect')))
    }
  } catch (error) {
    leave()
    throw error
  }
  return { [Symbol.dispose]: leave }
}
