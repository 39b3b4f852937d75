import type { getSftp, listSshKeys } from '@reeve/contract/access.ts'
import { queryOptions } from '@tanstack/react-query'
import { get, type ResponseOf } from '../lib/api.ts'

export const sftpQuery = (siteId: string) =>
  queryOptions({
    queryKey: ['sites', siteId, 'access', 'sftp'],
    queryFn: ({ signal }) => get<ResponseOf<typeof getSftp>>(`/api/sites/${siteId}/sftp`, signal),
  })

export const sshKeysQuery = (siteId: string) =>
  queryOptions({
    queryKey: ['sites', siteId, 'access', 'ssh-keys'],
    queryFn: ({ signal }) => get<ResponseOf<typeof listSshKeys>>(`/api/sites/${siteId}/ssh-keys`, signal),
    select: (data) => data.keys,
  })
