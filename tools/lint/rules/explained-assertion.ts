// `as` tells the compiler something that it cannot see; a comment tells the reader why that holds.
import { isIdentifier, type Node, type Rule } from '../ast.ts'

export const explainedAssertion: Rule = {
  create(context) {
    return {
      TSAsExpression: (node: Node & { typeAnnotation: Node & { typeName?: Node } }) => {
        const { typeAnnotation } = node
        const isConst = isIdentifier(typeAnnotation.typeName) && typeAnnotation.typeName.name === 'const'
        if (isConst) return
        const first = statementOf(node).loc.start.line - 1
        const last = node.loc.end.line
        const isExplained = context.sourceCode
          .getAllComments()
          .some(({ loc }) => loc.end.line >= first && loc.start.line <= last)
        if (isExplained) return
        context.report({ node, message: 'Say in a comment beside it why this type assertion holds.' })
      },
    }
  },
}

function statementOf(node: Node): Node {
  let current = node
  while (current.parent && !/Statement$|Declaration$|Definition$/.test(current.type)) current = current.parent
  return current
}
