// The short form of campaigns/power-cut.ts: the moments at which a missing fsync would show.
import { beforeAll, describe, expect, it } from 'vitest'
import type { InstalledHost } from '../src/installed.ts'
import { openPowerCuts, type PowerCut, type PowerCuts } from '../src/power-cut.ts'

const chosen: readonly PowerCut[] = [
  { operation: 'create', type: 'wordpress', moment: 0.4 },
  { operation: 'create', type: 'wordpress', moment: 'acknowledged' },
  { operation: 'delete', type: 'wordpress', moment: 0.3 },
  { operation: 'create', type: 'php', moment: 'acknowledged' },
]

export function powerCut(hostOf: () => InstalledHost): void {
  describe('a power cut', () => {
    let cuts: PowerCuts

    beforeAll(async () => {
      cuts = await openPowerCuts(hostOf())
    }, 120_000)

    it.each(chosen)('loses nothing: $operation $type at $moment', async (cut) => {
      const { before, after, problems } = await cuts.attempt(cut)
      expect(problems).toEqual([])
      if (cut.moment === 'acknowledged') expect({ before, after }).toEqual({ before: 'done', after: 'there' })
    })
  })
}
