// What a check of the server says: what it found, why that matters, and the command that puts it right.

export interface Finding {
  /** `ok`; `note`, which is for a person to weigh; or `failed`. */
  state: 'ok' | 'note' | 'failed'
  what: string
  /** A command, or what to do. Only where there is something to do. */
  fix?: string
}

export interface Check {
  name: string
  why: string
  /** Throws when it cannot be told. */
  examine: () => Promise<Finding | Finding[]> | Finding | Finding[]
}

export interface Examined extends Finding {
  check: string
  why: string
}

export const ok = (what: string): Finding => ({ state: 'ok', what })
export const note = (what: string, fix: string): Finding => ({ state: 'note', what, fix })
export const failed = (what: string, fix: string): Finding => ({ state: 'failed', what, fix })

/** One after the other: a server that is in trouble is asked gently. */
export async function examineAll(checks: readonly Check[]): Promise<Examined[]> {
  const examined: Examined[] = []
  for (const { name, why, examine } of checks) {
    const findings = await tellFailure(name, examine)
    examined.push(...[findings].flat().map((finding) => ({ check: name, why, ...finding })))
  }
  return examined
}

async function tellFailure(name: string, examine: Check['examine']): Promise<Finding | Finding[]> {
  try {
    return await examine()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return failed(`${name} could not be checked: ${reason}`, 'journalctl -u reeve-agent -u reeve-api -n 50')
  }
}

const signs = { ok: 'ok    ', note: 'note  ', failed: 'FAILED' } as const

/** For a terminal: what is well in a line each, the rest with what to do about it. */
export function describeFindings(examined: readonly Examined[]): string {
  const lines = examined.flatMap(({ state, what, why, fix }) => [
    `${signs[state]}  ${what}`,
    ...(fix === undefined ? [] : [`        why: ${why}`, `        fix: ${fix}`]),
  ])
  const count = (state: Finding['state']) => examined.filter((finding) => finding.state === state).length
  const summary = `${count('failed')} of ${examined.length} checks failed, ${count('note')} to look at.`
  return `${[...lines, '', summary].join('\n')}\n`
}
