// The file through which a test makes either daemon fail once, at a point of its choice.
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Failpoints extends Disposable {
  /** For the environment of the panel. */
  env: { REEVE_FAILPOINT_FILE: string }
  path: string
  /** Named as the daemons name it: `site.apply.files:before:kill`. */
  arm(failpoint: string): void
  /** False once a daemon got there. */
  isArmed(): boolean
}

export function openFailpoints(): Failpoints {
  // Both daemons, root and `reeve`, must be able to remove the file in it.
  const directory = mkdtempSync('/var/tmp/reeve-failpoint-')
  chmodSync(directory, 0o777)
  const path = join(directory, 'armed')
  return {
    env: { REEVE_FAILPOINT_FILE: path },
    path,
    arm(failpoint) {
      writeFileSync(path, failpoint)
      chmodSync(path, 0o666)
    },
    isArmed: () => existsSync(path),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}
