// Where a file stands in the repository: which package, and whether it is a test.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const repository = resolve(import.meta.dirname, '../..')

export interface Place {
  /** Name of the folder below packages/. */
  package: string
  /** Path below packages/<package>/src/, or below packages/<package>/ for files outside src. */
  path: string
  isTest: boolean
}

export function placeOf(filename: string): Place | undefined {
  const match = /^packages\/([^/]+)\/(?:src\/)?(.+)$/.exec(relative(repository, filename))
  const [, name, path] = match ?? []
  if (name === undefined || path === undefined) return undefined
  return { package: name, path, isTest: /\.test\.tsx?$|(^|\/)(testing|bench|e2e)\//.test(path) }
}

/** Name of the package that a relative import leads to, when it is another than the file's own. */
export function otherPackage(filename: string, place: Place, specifier: string): string | undefined {
  const target = relative(repository, resolve(dirname(filename), specifier))
  const [folder, name = target] = target.split('/')
  if (folder !== 'packages') return target
  return name === place.package ? undefined : name
}

interface Dependencies {
  runtime: ReadonlySet<string>
  development: ReadonlySet<string>
}

const known = new Map<string, Dependencies>()

/** What the package's own package.json lists. */
export function dependenciesOf(name: string): Dependencies {
  const read = known.get(name) ?? readDependencies(name)
  known.set(name, read)
  return read
}

function readDependencies(name: string): Dependencies {
  const path = join(repository, 'packages', name, 'package.json')
  // npm's own format: the fields are maps from names to versions.
  const manifest = (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}) as {
    dependencies?: Record<string, string>
    devDependencies?: Record<string, string>
  }
  return {
    runtime: new Set(Object.keys(manifest.dependencies ?? {})),
    development: new Set([...Object.keys(manifest.devDependencies ?? {}), 'vitest']),
  }
}
