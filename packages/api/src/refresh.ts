// What changes on the server without the panel: it looks when it starts and from time to time.
import { AppError } from '@reeve/contract/errors.ts'
import { refreshCertificates } from './certificates/refresh.ts'
import { refreshConnectors } from './connector/refresh.ts'
import type { Context } from './context.ts'
import { describeError, log } from './log.ts'

const everyMs = 5 * 60_000

/** Looks now and every five minutes. An agent that is down is nothing to report here: the next look finds it. */
export function startRefresh(context: Context): AsyncDisposable {
  const look = async (of: string, refresh: (context: Context) => Promise<void>) => {
    try {
      await refresh(context)
    } catch (error) {
      if (error instanceof AppError && error.code === 'agent_unavailable') return
      log('not refreshed', { of, error: describeError(error) })
    }
  }
  const lookAtAll = async () => {
    await look('certificates', refreshCertificates)
    await look('connectors', refreshConnectors)
  }
  let running = lookAtAll()
  const timer = setInterval(() => {
    running = running.then(lookAtAll)
  }, everyMs)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await running
    },
  }
}
