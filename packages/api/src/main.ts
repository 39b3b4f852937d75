import { startApp } from './app.ts'
import { readConfig } from './config.ts'
import { createContext } from './context.ts'
import { log } from './log.ts'
import { startRefresh } from './refresh.ts'

/** Runs the API until SIGTERM or SIGINT, then stops within two seconds. `ready` is called once it listens. */
export async function runApi(env: NodeJS.ProcessEnv, ready: () => void = () => {}): Promise<void> {
  const stopped = untilSignal()
  await using context = await createContext(readConfig(env))
  await using app = await startApp(context)
  await context.tasks.resume()
  await using _refresh = startRefresh(context)
  log('api listens', { host: context.config.host, port: app.port })
  ready()
  log('api stops', { signal: await stopped })
}

function untilSignal(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  // They stay: a second signal must not cut short what the first one began.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
  return promise
}
