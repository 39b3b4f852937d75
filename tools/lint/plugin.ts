// House rules that no built-in rule can say. Each is shown to fire in lint.test.ts.
import type { Rule } from './ast.ts'
import { explainedAssertion } from './rules/explained-assertion.ts'
import { importBoundaries } from './rules/import-boundaries.ts'
import { noRecursiveFs } from './rules/no-recursive-fs.ts'
import { noShell } from './rules/no-shell.ts'
import { oneSpawner } from './rules/one-spawner.ts'

const rules = {
  'explained-assertion': explainedAssertion,
  'import-boundaries': importBoundaries,
  'no-recursive-fs': noRecursiveFs,
  'no-shell': noShell,
  'one-spawner': oneSpawner,
} satisfies Record<string, Rule>

// The linter loads a plugin by its default export.
export default { meta: { name: 'reeve' }, rules }
