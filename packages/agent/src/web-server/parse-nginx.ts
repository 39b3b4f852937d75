// Reads nginx configuration into a tree, by nginx's own rules for words, quotes and comments
// (ngx_conf_read_token in src/core/ngx_conf_file.c). What nginx could read in another way is refused.
import { AppError } from '@reeve/contract/errors.ts'

export interface NginxNode {
  words: string[]
  /** Where its first word stands; 1 is the first line. */
  line: number
  block?: NginxNode[]
}

interface Token {
  kind: 'word' | ';' | '{' | '}'
  text: string
  line: number
}

export function parseNginx(text: string): NginxNode[] {
  const root: NginxNode[] = []
  const open: { nodes: NginxNode[]; line: number }[] = [{ nodes: root, line: 1 }]
  let words: Token[] = []
  for (const token of tokens(text)) {
    const [first] = words
    if (token.kind === 'word') {
      words.push(token)
    } else if (token.kind === '}') {
      if (first) throw refused(first.line, 'a directive does not end with a semicolon')
      if (open.length === 1) throw refused(token.line, 'a closing brace closes nothing')
      open.pop()
    } else {
      if (!first) throw refused(token.line, `"${token.kind}" follows no directive`)
      const node: NginxNode = { words: words.map((word) => word.text), line: first.line }
      open.at(-1)?.nodes.push(node)
      if (token.kind === '{') {
        node.block = []
        open.push({ nodes: node.block, line: first.line })
      }
      words = []
    }
  }
  if (words[0]) throw refused(words[0].line, 'a directive does not end with a semicolon')
  const unclosed = open.length > 1 ? open.at(-1) : undefined
  if (unclosed) throw refused(unclosed.line, 'a block is not closed')
  return root
}

export class NginxSyntaxError extends AppError {
  readonly line: number
  readonly problem: string

  constructor(line: number, problem: string) {
    super('refused', `The nginx configuration cannot be read: ${problem} in line ${line}.`)
    this.line = line
    this.problem = problem
  }
}

const refused = (line: number, problem: string) => new NginxSyntaxError(line, problem)

const isSpace = (character: string) => /[ \t\r\n]/.test(character)

function* tokens(text: string): Generator<Token> {
  let at = 0
  let line = 1
  while (at < text.length) {
    const character = text.charAt(at)
    if (character === '\n') line++
    if (isSpace(character)) {
      at++
    } else if (character === '#') {
      const end = text.indexOf('\n', at)
      at = end === -1 ? text.length : end
    } else if (character === ';' || character === '{' || character === '}') {
      yield { kind: character, text: character, line }
      at++
    } else {
      const end = character === '"' || character === "'" ? quotedEnd(text, at, line) : bareEnd(text, at, line)
      const raw = text.slice(at, end)
      const isQuoted = character === '"' || character === "'"
      yield { kind: 'word', text: unescaped(isQuoted ? raw.slice(1, -1) : raw), line }
      line += raw.split('\n').length - 1
      at = end
    }
  }
}

/** Index after the closing quote. */
function quotedEnd(text: string, start: number, line: number): number {
  const quote = text.charAt(start)
  let at = start + 1
  while (at < text.length && text.charAt(at) !== quote) at += text.charAt(at) === '\\' ? 2 : 1
  if (at >= text.length) throw refused(line, 'a quote is not closed')
  const next = text.charAt(at + 1)
  if (next !== '' && !isSpace(next) && !';{)'.includes(next))
    throw refused(line, 'a quote is followed by further text')
  return at + 1
}

function bareEnd(text: string, start: number, line: number): number {
  let at = start
  while (at < text.length) {
    const character = text.charAt(at)
    if (isSpace(character) || character === ';') break
    if (character === '{' && text.charAt(at - 1) !== '$') break
    if (character === '{') {
      const end = /^\{[A-Za-z0-9_]+\}/.exec(text.slice(at, at + 100))
      if (!end) throw refused(line, '"${" is not followed by a name and "}"')
      at += end[0].length
    } else {
      if (character === '}') throw refused(line, 'a closing brace stands inside a word')
      if (character === '\\' && at + 1 >= text.length) throw refused(line, 'a backslash ends the text')
      at += character === '\\' ? 2 : 1
    }
  }
  return at
}

/** nginx takes the backslash from these six pairs and keeps it in all others. */
const unescaped = (raw: string): string =>
  raw.replace(/\\(["'\\trn])/g, (_pair, character: string) =>
    character === 't' ? '\t' : character === 'r' ? '\r' : character === 'n' ? '\n' : character,
  )
