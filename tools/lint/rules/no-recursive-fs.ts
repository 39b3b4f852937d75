// fs.rm and fs.cp walk a tree by path. Under a user who renames directories meanwhile they were measured to
// delete and write outside the tree, and the agent is root.
import {
  type ImportDeclaration,
  isIdentifier,
  isMember,
  isObjectPattern,
  isProperty,
  type MemberExpression,
  type Node,
  nameOf,
  type Rule,
  type VariableDeclarator,
} from '../ast.ts'

const recursive = new Set(['rm', 'rmSync', 'cp', 'cpSync'])

const message = (name: string) =>
  `fs.${name} follows a path that a site's user can change. Remove or copy as the site's user, or by a fixed list.`

export const noRecursiveFs: Rule = {
  create(context) {
    /** Local names of the module itself. */
    const modules = new Set<string>()
    const isModule = (node: Node | null): boolean => {
      if (isIdentifier(node)) return modules.has(node.name)
      return isMember(node) && nameOf(node.property, node.computed) === 'promises' && isModule(node.object)
    }
    const check = (node: Node, name: string | undefined) => {
      if (name !== undefined && recursive.has(name)) context.report({ node, message: message(name) })
    }
    return {
      ImportDeclaration: (node: ImportDeclaration) => {
        if (!/^(node:)?fs(\/promises)?$/.test(String(node.source.value))) return
        for (const specifier of node.specifiers) {
          const name = specifier.imported && nameOf(specifier.imported, false)
          if (name === undefined || name === 'promises' || name === 'default')
            modules.add(specifier.local.name)
          else check(specifier, name)
        }
      },
      MemberExpression: (node: MemberExpression) => {
        if (isModule(node.object)) check(node, nameOf(node.property, node.computed))
      },
      VariableDeclarator: (node: VariableDeclarator) => {
        if (!isObjectPattern(node.id) || !isModule(node.init)) return
        for (const property of node.id.properties) {
          if (isProperty(property)) check(property, nameOf(property.key, property.computed))
        }
      },
    }
  },
}
