// A shell turns data into commands. exec() always starts one; spawn() and execFile() do with `shell`.
import { type ImportDeclaration, nameOf, type Property, type Rule } from '../ast.ts'
import { placeOf } from '../place.ts'

const message = 'No shell: pass a program and an array of arguments.'

export const noShell: Rule = {
  create(context) {
    // The browser has no programs to run, and a word for the frame around its pages.
    if (placeOf(context.filename)?.package === 'web') return {}
    return {
      Property: (node: Property) => {
        if (node.parent?.type !== 'ObjectExpression') return
        if (nameOf(node.key, node.computed) === 'shell') context.report({ node, message })
      },
      ImportDeclaration: (node: ImportDeclaration) => {
        if (!/^(node:)?child_process$/.test(String(node.source.value))) return
        for (const specifier of node.specifiers) {
          const name = specifier.imported && nameOf(specifier.imported, false)
          if (name === 'exec' || name === 'execSync') context.report({ node: specifier, message })
        }
      },
    }
  },
}
