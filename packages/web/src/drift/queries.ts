import type { listDrift } from '@reeve/contract/drift.ts'
import { queryOptions } from '@tanstack/react-query'
import { get, type ResponseOf } from '../lib/api.ts'

export const driftQuery = queryOptions({
  queryKey: ['drift'],
  queryFn: ({ signal }) => get<ResponseOf<typeof listDrift>>('/api/system/drift', signal),
})
