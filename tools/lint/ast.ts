// The little of ESTree and of the linter's plugin interface that our rules use.

export interface Node {
  type: string
  parent?: Node | null
  loc: { start: { line: number }; end: { line: number } }
}

export interface Identifier extends Node {
  type: 'Identifier'
  name: string
}

export interface Literal extends Node {
  type: 'Literal'
  value: unknown
}

export interface Comment {
  loc: { start: { line: number }; end: { line: number } }
}

export interface RuleContext {
  filename: string
  sourceCode: { getAllComments(): Comment[] }
  report(finding: { node: Node; message: string }): void
}

export type Visitor = Readonly<Record<string, (node: never) => void>>

export interface Rule {
  create(context: RuleContext): Visitor
}

export interface ImportSpecifier extends Node {
  type: 'ImportSpecifier' | 'ImportDefaultSpecifier' | 'ImportNamespaceSpecifier'
  imported?: Identifier | Literal
  local: Identifier
}

export interface ImportDeclaration extends Node {
  source: Literal
  specifiers: ImportSpecifier[]
}

export interface ExportFrom extends Node {
  source: Literal | null
}

/** Present on static imports and exports; `type` leaves nothing to load. */
interface Kinded {
  importKind?: 'type' | 'value'
  exportKind?: 'type' | 'value'
}

export interface ImportExpression extends Node {
  source: Node
}

export interface CallExpression extends Node {
  callee: Node
  arguments: Node[]
}

export interface MemberExpression extends Node {
  object: Node
  property: Node
  computed: boolean
}

export interface Property extends Node {
  key: Node
  computed: boolean
}

export interface VariableDeclarator extends Node {
  id: Node
  init: Node | null
}

export interface ObjectPattern extends Node {
  properties: Node[]
}

export const isIdentifier = (node: Node | null | undefined): node is Identifier => node?.type === 'Identifier'
export const isLiteral = (node: Node | null | undefined): node is Literal => node?.type === 'Literal'
export const isMember = (node: Node | null | undefined): node is MemberExpression =>
  node?.type === 'MemberExpression'
export const isProperty = (node: Node | null | undefined): node is Property => node?.type === 'Property'
export const isObjectPattern = (node: Node | null | undefined): node is ObjectPattern =>
  node?.type === 'ObjectPattern'

/** The text of a string literal or of a template without substitutions. */
export function textOf(node: Node | null | undefined): string | undefined {
  if (isLiteral(node)) return typeof node.value === 'string' ? node.value : undefined
  if (node?.type !== 'TemplateLiteral') return undefined
  // ESTree: a template literal with one quasi has no substitution.
  const { quasis } = node as Node & { quasis: { value: { cooked: string } }[] }
  return quasis.length === 1 ? quasis[0]?.value.cooked : undefined
}

/** The name under which a member or property is reached, also as `object['name']`. */
export function nameOf(key: Node, computed: boolean): string | undefined {
  if (!computed && isIdentifier(key)) return key.name
  return textOf(key)
}

/** Calls back with each module that the file names, however it does so. */
export function forEachModule(report: (node: Node, specifier: string, isTypeOnly: boolean) => void): Visitor {
  const visit = (node: Node & Kinded, source: Node | null | undefined) => {
    const specifier = textOf(source)
    const isTypeOnly = node.type === 'TSImportType' || (node.importKind ?? node.exportKind) === 'type'
    if (specifier !== undefined) report(node, specifier, isTypeOnly)
  }
  return {
    ImportDeclaration: (node: ImportDeclaration) => visit(node, node.source),
    ExportNamedDeclaration: (node: ExportFrom) => visit(node, node.source),
    ExportAllDeclaration: (node: ExportFrom) => visit(node, node.source),
    ImportExpression: (node: ImportExpression) => visit(node, node.source),
    TSImportType: (node: ImportExpression) => visit(node, node.source),
    CallExpression: (node: CallExpression) => {
      if (loadsModule(node.callee)) visit(node, node.arguments[0])
    },
  }
}

function loadsModule(callee: Node): boolean {
  if (isIdentifier(callee)) return callee.name === 'require'
  return isMember(callee) && nameOf(callee.property, callee.computed) === 'getBuiltinModule'
}
