// What tests of signing in ask of an answer, and of a panel that would otherwise slow them down.
import type { Answer, Panel } from './panel.ts'

/** The cookie that an answer sets, as the browser would send it. */
export const cookieOf = (answer: Answer, name = '__Host-reeve='): string =>
  [answer.headers['set-cookie'] ?? []]
    .flat()
    .find((cookie) => cookie.startsWith(name))
    ?.split(';')[0] ?? ''

export const countStatus = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length

/** The tests of a file share one address; its delays have tests of their own. */
export function freeSource({ context }: Panel): void {
  for (let tries = 0; tries < 30; tries++) {
    context.throttle.forgive([{ kind: 'source', name: '127.0.0.1' }])
  }
}
