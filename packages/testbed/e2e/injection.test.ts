// Hostile characters at both edges: over HTTP, and at the agent's socket as a broken API would send them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { casesFor, pathOf, place, words } from '../src/injection-cases.ts'
import { identityOf, type Request, sendAs } from '../src/isolation/agent-attack.ts'
import { applyDocument, siteDocument } from '../src/isolation/documents.ts'
import { serverState } from '../src/isolation/server-state.ts'
import { type Reeve, startReeve } from '../src/reeve.ts'
import { injection } from '../suites/injection.ts'

let reeve: Reeve

beforeAll(async () => {
  reeve = await startReeve()
}, 120_000)

afterAll(async () => {
  await reeve[Symbol.asyncDispose]()
}, 60_000)

injection(() => reeve)

describe('characters that could break out of a configuration file', () => {
  it('are refused by the agent when it is asked directly', { timeout: 120_000 }, async () => {
    await reeve.panel()
    const stateBefore = serverState(reeve.root)
    const cases = casesFor(Object.keys(words))
    const requests = cases.map(({ name, field, value }): Request => {
      const body =
        field === 'admin_password_hash'
          ? { ...applyDocument, ...place(field, value) }
          : { ...applyDocument, site: { ...siteDocument, ...place(field, value) } }
      return { name, path: '/site.apply', body }
    })
    const outcomes = await sendAs(reeve, identityOf('reeve'), requests)
    const accepted = outcomes.filter(({ answer }, at) => {
      const { field } = cases[at]!
      const where = field === 'admin_password_hash' ? field : `site.${pathOf(field)}`
      return !answer.includes('"code":"invalid_request"') || !answer.includes(`"field":"${where}"`)
    })
    console.log(`${cases.length} requests to the agent`)
    expect(accepted).toEqual([])
    expect(serverState(reeve.root)).toEqual(stateBefore)
  })
})
