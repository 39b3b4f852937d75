import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ensureAccount, ensureDirectories, installProgram } from './layout.ts'

let folder: string
let root: string
let dist: string

beforeEach(async () => {
  folder = await mkdtemp('/var/tmp/reeve-layout-')
  root = join(folder, 'root')
  dist = join(folder, 'dist')
  const umask = process.umask(0o077)
  for (const part of ['web/assets', 'cms/runner']) await mkdir(join(dist, part), { recursive: true })
  await writeFile(join(dist, 'web/assets/a.js'), 'first')
  await writeFile(join(dist, 'cms/runner/run.php'), '<?php')
  await writeFile(join(dist, 'reeve.cjs'), 'first')
  process.umask(umask)
  await ensureDirectories(root, await ensureAccount())
})
afterEach(() => rm(folder, { recursive: true }))

const mode = async (path: string) => ((await stat(join(root, path))).mode & 0o7777).toString(8)

it('makes the program readable for others whatever the umask of the checkout was', async () => {
  await installProgram(root, dist)
  expect(await mode('usr/lib/reeve/web/assets')).toBe('755')
  expect(await mode('usr/lib/reeve/web/assets/a.js')).toBe('644')
  expect(await mode('usr/lib/reeve/reeve.cjs')).toBe('644')
  expect(await mode('usr/lib/reeve/node')).toBe('755')
})

it('replaces a program that was there, and leaves nothing beside it', async () => {
  await installProgram(root, dist)
  await rm(join(dist, 'web/assets/a.js'))
  await writeFile(join(dist, 'web/assets/b.js'), 'second')
  await writeFile(join(dist, 'reeve.cjs'), 'second')
  await installProgram(root, dist)
  expect(await readdir(join(root, 'usr/lib/reeve/web/assets'))).toEqual(['b.js'])
  expect(await readFile(join(root, 'usr/lib/reeve/reeve.cjs'), 'utf8')).toBe('second')
  expect((await readdir(join(root, 'usr/lib/reeve'))).sort()).toEqual(['cms', 'node', 'reeve.cjs', 'web'])
})

it('puts back the modes and owners that keep others out', async () => {
  const { uid, gid } = await ensureAccount()
  await rm(join(root, 'var/lib/reeve-agent'), { recursive: true })
  await mkdir(join(root, 'var/lib/reeve-agent'), { mode: 0o777 })
  await ensureDirectories(root, { uid, gid })
  expect(await mode('var/lib/reeve-agent')).toBe('700')
  expect(await stat(join(root, 'var/lib/reeve'))).toMatchObject({ uid, gid })
  expect(await stat(join(root, 'run/reeve'))).toMatchObject({ uid: 0, gid })
})

it('does not follow a link in place of a directory', async () => {
  await rm(join(root, 'var/lib/reeve'), { recursive: true })
  await mkdir(join(folder, 'elsewhere'))
  await symlink(join(folder, 'elsewhere'), join(root, 'var/lib/reeve'))
  await expect(ensureDirectories(root, await ensureAccount())).rejects.toThrow('must be a directory')
})
