// Writes what is generated from the endpoint definitions and committed: docs/openapi.json and endpoints.txt.
// A test compares both, so that a new endpoint or role shows in review.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endpoints } from '@reeve/contract/endpoints.ts'
import { openApiDocument } from './system/openapi.ts'

const packageFolder = join(import.meta.dirname, '..')

export const generated: readonly { path: string; text: () => string }[] = [
  {
    path: join(packageFolder, '../../docs/openapi.json'),
    text: () => `${JSON.stringify(openApiDocument(), undefined, 2)}\n`,
  },
  { path: join(packageFolder, 'endpoints.txt'), text: listEndpoints },
]

/** Method, path and role, one endpoint a line. */
function listEndpoints(): string {
  const lines = endpoints.map(({ method, path, role }) => `${path} ${method} ${role}`).sort()
  return `${lines.map((line) => line.replace(/^(\S+) (\S+)/, '$2 $1')).join('\n')}\n`
}

if (import.meta.main) for (const { path, text } of generated) writeFileSync(path, text())
