// Whether the two processes answer.
import { request } from 'node:http'

type Target = { socketPath: string } | { host: string; port: number }

/** True for a 2xx answer within a second. */
export function answers(target: Target, path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const call = request({ ...target, path, timeout: 1000, agent: false }, (response) => {
    response.resume()
    const status = response.statusCode ?? 0
    resolve(status >= 200 && status < 300)
  })
  call.on('timeout', () => call.destroy())
  call.on('error', () => resolve(false))
  call.on('close', () => resolve(false))
  call.end()
  return promise
}

/** Asks until it is true; false when `isHopeless` says so or the time is over. */
export async function becomesTrue(
  check: () => Promise<boolean>,
  { timeoutMs, isHopeless }: { timeoutMs: number; isHopeless: () => boolean },
): Promise<boolean> {
  const end = Date.now() + timeoutMs
  while (Date.now() < end && !isHopeless()) {
    if (await check()) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}
