// The agent's own memory and the files that it has rendered. The registry is opened for reading only.
import { existsSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { sha256 } from '../managed-file.ts'
import type { Paths } from '../paths.ts'
import { type Check, failed, type Finding, ok } from './check.ts'
import type { Patient } from './patient.ts'

export function stateChecks({ paths }: Patient): Check[] {
  return [
    {
      name: 'registry',
      why: "It is the agent's only memory of which site is whose, and of the secrets of sites.",
      examine: () => registryIntegrity(paths),
    },
    {
      name: 'rendered files',
      why: 'The panel does not overwrite what somebody else has changed, so such a site cannot be changed by it.',
      examine: () => renderedFiles(paths),
    },
  ]
}

export function listedSites(paths: Paths): { id: string; domain: string }[] {
  using registry = open(paths)
  return registry.database
    .prepare('SELECT id, domain FROM sites ORDER BY domain')
    .all()
    .map((row) => ({ id: String(row['id']), domain: String(row['domain']) }))
}

function registryIntegrity(paths: Paths): Finding {
  const fix = `systemctl stop reeve-agent, put a copy back to ${paths.registry}, systemctl start reeve-agent`
  if (!existsSync(paths.registry)) return failed('there is no registry yet', 'systemctl restart reeve-agent')
  try {
    using registry = open(paths)
    const problem = registry.database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
    return problem === 'ok'
      ? ok('the registry is intact')
      : failed(`the registry is damaged: ${String(problem)}`, fix)
  } catch (error) {
    return failed(`the registry is damaged: ${error instanceof Error ? error.message : String(error)}`, fix)
  }
}

function renderedFiles(paths: Paths): Finding[] {
  using registry = open(paths)
  const rows = registry.database
    .prepare('SELECT path, sha256, intended_sha256 FROM files ORDER BY path')
    .all()
  const changed = rows.flatMap((row) => {
    const path = String(row['path'])
    const fix = 'Settle it on the page "Changed files" of the panel: put ours back, or keep the other.'
    if (!existsSync(path)) return [failed(`${path} is gone`, fix)]
    const found = sha256(readFileSync(path))
    const isOurs = found === row['sha256'] || found === row['intended_sha256']
    return isOurs ? [] : [failed(`${path} was changed by something else`, fix)]
  })
  return changed.length > 0 ? changed : [ok(`${rows.length} rendered files are as they were written`)]
}

function open(paths: Paths) {
  const database = new DatabaseSync(paths.registry, { readOnly: true, timeout: 5000 })
  return { database, [Symbol.dispose]: () => database.close() }
}
