// Reads nginx configuration back into a tree, by nginx's own rules for words and quotes: what was rendered is
// compared with what was meant.
import { AppError } from '@reeve/contract/errors.ts'

export interface NginxNode {
  words: string[]
  block?: NginxNode[]
}

/** nginx's tokens: a quoted text, a run of other characters, or one of `{ } ;`; comments are left out. */
const token = /\s+|#[^\n]*|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[{};]|(?:\\.|\$\{|[^\s{};\\])+)/gsy

export function parseNginx(text: string): NginxNode[] {
  const open: NginxNode[][] = [[]]
  let words: string[] = []
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const at = token.lastIndex
    const match = token.exec(text)
    if (!match)
      throw new AppError('refused', `The nginx configuration cannot be read from character ${at} on.`)
    const word = match[1]
    if (word === undefined) continue
    if (word === ';' || word === '{') {
      const node: NginxNode = word === '{' ? { words, block: [] } : { words }
      open.at(-1)?.push(node)
      if (node.block) open.push(node.block)
      words = []
    } else if (word === '}') {
      open.pop()
      if (words.length > 0 || open.length === 0) throw unbalanced()
    } else {
      words.push(/^["']/.test(word) ? word.slice(1, -1) : word)
    }
  }
  const [root] = open
  if (!root || open.length !== 1 || words.length > 0) throw unbalanced()
  return root
}

const unbalanced = () =>
  new AppError('refused', 'The nginx configuration has braces or semicolons out of balance.')
