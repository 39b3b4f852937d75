// Packages follow processes, and processes follow privilege: what a package may import is its trust boundary.
import { forEachModule, type Rule } from '../ast.ts'
import { dependenciesOf, otherPackage, type Place, placeOf } from '../place.ts'

interface Boundary {
  /** Whether modules of Node itself may be imported. */
  node: boolean
  /** Our own packages that may be imported. */
  ours: readonly string[]
}

const boundaries: Readonly<Record<string, Boundary>> = {
  contract: { node: false, ours: [] },
  api: { node: true, ours: ['@reeve/contract'] },
  agent: { node: true, ours: ['@reeve/contract'] },
  web: { node: false, ours: ['@reeve/contract'] },
  cli: { node: true, ours: ['@reeve/contract'] },
}

export const importBoundaries: Rule = {
  create(context) {
    const place = placeOf(context.filename)
    const boundary = place && boundaries[place.package]
    if (!place || !boundary || isToolConfiguration(place)) return {}
    return forEachModule((node, specifier, isTypeOnly) => {
      const problem = problemWith(specifier, { ...place, boundary, isTypeOnly, filename: context.filename })
      if (problem !== undefined) context.report({ node, message: problem })
    })
  },
}

interface Importer extends Place {
  boundary: Boundary
  isTypeOnly: boolean
  filename: string
}

function problemWith(specifier: string, importer: Importer): string | undefined {
  const { package: name, boundary, isTest } = importer
  if (specifier.startsWith('.') || specifier.startsWith('/')) {
    const other = otherPackage(importer.filename, importer, specifier)
    // Tests may use the testbed, which starts real services for them.
    if (other === undefined || (isTest && other === 'testbed')) return undefined
    return `"${specifier}" leaves packages/${name}. Import from a package that ${name} may use, by its name.`
  }
  if (specifier.startsWith('node:')) {
    return boundary.node || isTest
      ? undefined
      : `packages/${name} must not use Node's modules ("${specifier}").`
  }
  const segments = specifier.split('/')
  const root = segments.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
  if (root.startsWith('@reeve/')) {
    return boundary.ours.includes(root) ? undefined : `packages/${name} must not import ${root}.`
  }
  // Types of others leave nothing to load; what is installed is the lock file's matter.
  const { runtime, development } = dependenciesOf(name)
  if (importer.isTypeOnly || runtime.has(root) || (isTest && development.has(root))) return undefined
  return `"${root}" is not a dependency in packages/${name}/package.json (modules of Node start with "node:").`
}

const isToolConfiguration = ({ path }: Place) => /^[^/]+\.config\.ts$/.test(path)
