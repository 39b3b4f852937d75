// What happened on a busy day: how often each answer came, and what nobody should have seen.
import type { Panel } from '../panel.ts'

export interface Notes {
  count(what: string): void
  problem(what: string): void
  counts(): Readonly<Record<string, number>>
  problems(): readonly string[]
}

export function createNotes(): Notes {
  const counts = new Map<string, number>()
  const problems: string[] = []
  return {
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    problem: (what) => problems.push(what),
    counts: () => Object.fromEntries([...counts].sort(([a], [b]) => a.localeCompare(b, 'en'))),
    problems: () => problems,
  }
}

/** An answer a client may get at any time: done, refused with a reason, or the agent is away for a moment. */
const expected = new Set([200, 201, 202, 204, 404, 409, 422, 502])

/** A service that was killed just now. */
const isAbsence = (body: unknown): boolean => JSON.stringify(body).includes('does not answer. Start it')

export interface Client {
  /** Undefined while the panel is away. */
  ask<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Body } | undefined>
  /** Asks for a task and waits for its end; true when it succeeded. */
  perform(method: string, path: string, body?: unknown): Promise<boolean>
}

/** Every answer is counted under its endpoint, and an unexpected one is a problem. */
export function createClient(panel: Panel, notes: Notes): Client {
  const ask: Client['ask'] = async <Body>(method: string, path: string, body?: unknown) => {
    const endpoint = `${method} ${path.replaceAll(/\b[scdt][a-z2-7]{15}\b/g, '*')}`
    try {
      const answer = await panel.call<Body>(method, path, body)
      notes.count(`${endpoint}: ${answer.status}`)
      if (!expected.has(answer.status) && !isAbsence(answer.body)) {
        notes.problem(`${method} ${path} with ${JSON.stringify(body)}: ${JSON.stringify(answer)}`)
      }
      return answer
    } catch {
      notes.count('the panel is away')
      return undefined
    }
  }
  return {
    ask,
    async perform(method, path, body) {
      const answer = await ask<{ task?: { id: string; kind: string } }>(method, path, body)
      if (answer?.status !== 202 || !answer.body.task) return false
      const { id, kind } = answer.body.task
      try {
        const { state } = await panel.taskEnd(id, 180_000)
        notes.count(`task ${kind}: ${state}`)
        return state === 'succeeded'
      } catch (error) {
        notes.problem(`${kind}: ${String(error)}`)
        return false
      }
    },
  }
}
