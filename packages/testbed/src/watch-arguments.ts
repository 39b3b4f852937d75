// What any user of this machine could read of the programs that ran meanwhile.
import { readdirSync, readFileSync } from 'node:fs'

export interface ArgumentsWatch extends Disposable {
  /** Command lines, their words separated by NUL. */
  seen: ReadonlySet<string>
}

/** Also of throw-away servers, whose processes are this machine's. */
export function watchArguments(): ArgumentsWatch {
  const seen = new Set<string>()
  const timer = setInterval(() => {
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue
      try {
        seen.add(readFileSync(`/proc/${name}/cmdline`, 'latin1'))
      } catch {
        // It has just ended.
      }
    }
  }, 2)
  return { seen, [Symbol.dispose]: () => clearInterval(timer) }
}
