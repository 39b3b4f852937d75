import { cacheWarm, cacheWarmSteps } from '@reeve/contract/cache.ts'
import { SiteId } from '@reeve/contract/primitives.ts'
import * as z from 'zod'
import { defineTask } from '../tasks/definition.ts'

/** The agent stops by itself after five minutes. */
const warmDeadlineMs = 6 * 60_000

export const warmCacheTask = defineTask({
  kind: 'cache.warm',
  input: z.object({ id: SiteId }),
  steps: [
    {
      name: 'warm',
      substeps: () => cacheWarmSteps,
      async run({ call }, { id }) {
        await call(cacheWarm, { id }, warmDeadlineMs)
      },
    },
  ],
})

export const cacheTasks = [warmCacheTask]
