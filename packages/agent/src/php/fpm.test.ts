import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Domain } from '@reeve/contract/primitives.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { pathsBelow, type Paths } from '../paths.ts'
import { proofDirectory, provePool, refuseMissingUsers } from './fpm.ts'
import { defaultPhpLimits, type PoolInput } from './render-pool.ts'
import { installedPhpVersions } from './versions.ts'

let paths: Paths
const [version] = installedPhpVersions()

beforeEach(() => {
  const root = mkdtempSync('/var/tmp/reeve-proof-')
  chmodSync(root, 0o755)
  paths = pathsBelow(root)
  mkdirSync(join(paths.site('example.com' as Domain), 'logs'), { recursive: true })
})
afterEach(() => rmSync(paths.root, { recursive: true, force: true }))

// `games` is a user of every Debian system; a literal in its parsed form.
const pool = (user: string): PoolInput => ({
  domain: 'example.com' as Domain,
  user,
  socket: join(paths.run, 'never-used.sock'),
  workers: 2,
  limits: defaultPhpLimits,
})

it('lets a pool through that answers, and leaves nothing of the throwaway master', async () => {
  if (version === undefined) throw new Error('No PHP-FPM is installed.')
  await provePool(paths, pool('games'), version)
  expect(readdirSync(proofDirectory(paths))).toEqual([])
})

it('refuses a pool that the master cannot run, with its reason, and leaves nothing', async () => {
  if (version === undefined) throw new Error('No PHP-FPM is installed.')
  await expect(provePool(paths, pool('site-4999999'), version)).rejects.toThrow(
    /refused the pool of site-4999999: .*cannot get uid for user/,
  )
  expect(readdirSync(proofDirectory(paths))).toEqual([])
})

it('names the pool whose user is gone before a reload would end the master', () => {
  if (version === undefined) throw new Error('No PHP-FPM is installed.')
  const pools = paths.fpmPools(version)
  mkdirSync(pools, { recursive: true })
  for (const name of ['games.conf', '.site-4999998.conf.reeve-new']) writeFileSync(join(pools, name), '')
  expect(() => refuseMissingUsers(paths, version)).not.toThrow()
  writeFileSync(join(pools, 'site-4999999.conf'), '')
  expect(() => refuseMissingUsers(paths, version)).toThrow(/The system user site-4999999 is gone/)
})
