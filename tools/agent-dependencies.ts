// Lists what the root process depends on at run time, transitive ones included, as `name version` lines.
// Usage: node tools/agent-dependencies.ts > packages/agent/agent-dependencies.txt
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const repository = resolve(import.meta.dirname, '..')

interface LockEntry {
  version?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export function agentDependencies(): string[] {
  // npm's own format, lockfileVersion 3.
  const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>
  }
  const found = new Map<string, string>()
  const walk = (folder: string) => {
    const entry = lock.packages[folder] ?? {}
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      if (name.startsWith('@reeve/')) {
        walk(`packages/${name.slice('@reeve/'.length)}`)
        continue
      }
      const path = installedAt(lock.packages, folder, name)
      const line = `${name} ${lock.packages[path]?.version}`
      if (found.has(line)) continue
      found.set(line, path)
      walk(path)
    }
  }
  walk('packages/agent')
  return [...found.keys()].sort()
}

/** Node's resolution: the nearest node_modules at or above the folder that depends on it. */
function installedAt(packages: Record<string, LockEntry>, folder: string, name: string): string {
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`
    if (packages[path]) return path
    if (at === '')
      throw new Error(`package-lock.json has no ${name}, which ${folder} needs; run npm install.`)
  }
}

if (import.meta.main) process.stdout.write(`${agentDependencies().join('\n')}\n`)
