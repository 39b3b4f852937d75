import type { listSessions, listUsers } from '@reeve/contract/accounts.ts'
import { queryOptions } from '@tanstack/react-query'
import { get, type ResponseOf } from '../lib/api.ts'

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: ({ signal }) => get<ResponseOf<typeof listSessions>>('/api/account/sessions', signal),
  select: (data) => data.sessions,
  // Others sign in without this browser being told.
  staleTime: 0,
})

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: ({ signal }) => get<ResponseOf<typeof listUsers>>('/api/users', signal),
  select: (data) => data.users,
  staleTime: 0,
})
