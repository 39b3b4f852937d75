// nginx configuration as nested lines, so that indentation and braces are never written by hand.

export interface Block {
  header: string
  body: readonly Node[]
}
/** Whole lines as they are; whoever makes one has checked that they are balanced. */
export interface Raw {
  raw: string
}
/** A directive without its semicolon, a nested block, or several of them; `false` leaves the line out. */
export type Node = string | Block | Raw | false | readonly Node[]

export function block(header: string, body: readonly Node[]): Block {
  return { header, body }
}

export function renderNodes(nodes: readonly Node[], indent = ''): string {
  let text = ''
  for (const node of nodes) {
    if (node === false) continue
    if (typeof node === 'string') text += node.startsWith('#') ? `${indent}${node}\n` : `${indent}${node};\n`
    else if ('raw' in node) text += node.raw.endsWith('\n') ? node.raw : `${node.raw}\n`
    else if ('header' in node)
      text += `${indent}${node.header} {\n${renderNodes(node.body, `${indent}  `)}${indent}}\n`
    else text += renderNodes(node, indent)
  }
  return text
}
