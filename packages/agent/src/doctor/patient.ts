// What the doctor knows of the installation before it asks anything: no process of the panel needs to run.
import { existsSync } from 'node:fs'
import { type Paths, pathsBelow } from '../paths.ts'

export interface Patient {
  paths: Paths
  panelPort: number
  httpPort: number
  httpsPort: number
  /** Whether systemd carries it, so that its units can be asked about. */
  isInstalled: boolean
}

export function readPatient(env: NodeJS.ProcessEnv): Patient {
  const root = env['REEVE_ROOT'] || '/'
  return {
    paths: pathsBelow(root),
    panelPort: Number(env['REEVE_PORT'] || 5252),
    httpPort: Number(env['REEVE_HTTP_PORT'] || 80),
    httpsPort: Number(env['REEVE_HTTPS_PORT'] || 443),
    isInstalled: root === '/' && existsSync('/run/systemd/system'),
  }
}
