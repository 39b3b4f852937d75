import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { certificateFiles, pairInUse, removeOtherPairs, sparePairs, usePair, writePair } from './pair.ts'
import { createAuthority } from './testing/certificates.ts'
import { makeFolder } from '../testing/folder.ts'

const authority = createAuthority()
const first = authority.issue(['one.example.com'])
const second = authority.issue(['one.example.com'])
let directory: string
beforeEach(() => {
  directory = join(makeFolder('pair'), 'site')
})
const write = ({ certificate, key }: typeof first) => writePair(directory, certificate, key)
const served = () => readFileSync(certificateFiles(directory).certificate, 'utf8')

it('is read at one path, whichever is in use', () => {
  usePair(directory, write(first))
  expect(served()).toBe(first.certificate)
  usePair(directory, write(second))
  expect(served()).toBe(second.certificate)
  expect(readFileSync(certificateFiles(directory).key, 'utf8')).toBe(second.key)
  expect(statSync(certificateFiles(directory).key).mode & 0o777).toBe(0o600)
  expect(statSync(directory).mode & 0o777).toBe(0o700)
})

it('is not in use before it is taken into use, and not after that is undone', () => {
  usePair(directory, write(first))
  const pair = write(second)
  expect(served()).toBe(first.certificate)
  const change = usePair(directory, pair)
  change.undo()
  expect(served()).toBe(first.certificate)
  expect(sparePairs(directory)).toEqual([pair])
})

it('has the same name when it is written again', () => {
  const pair = write(first)
  expect(write(first)).toBe(pair)
  expect(readdirSync(directory)).toEqual([pair])
})

it('that is in use is all that stays', async () => {
  write(second)
  usePair(directory, write(first))
  await removeOtherPairs(directory)
  expect(served()).toBe(first.certificate)
  expect(readdirSync(directory)).toHaveLength(2)
})

it.each([
  { what: 'the key is missing', spoil: (files: Files) => rmSync(files.key) },
  { what: 'the certificate is missing', spoil: (files: Files) => rmSync(files.certificate) },
  { what: 'the key is of another', spoil: (files: Files) => writeFileSync(files.key, second.key) },
  { what: 'the key is no key', spoil: (files: Files) => writeFileSync(files.key, 'x') },
  { what: 'the certificate is none', spoil: (files: Files) => writeFileSync(files.certificate, '') },
])('is none when $what', ({ spoil }) => {
  usePair(directory, write(first))
  expect(pairInUse(directory)).toBeDefined()
  spoil(certificateFiles(directory))
  expect(pairInUse(directory)).toBeUndefined()
})
type Files = ReturnType<typeof certificateFiles>

it('is taken into use although an earlier attempt died with the link half made', () => {
  usePair(directory, write(first))
  writeFileSync(join(directory, 'current.next'), '')
  usePair(directory, write(second))
  expect(served()).toBe(second.certificate)
  expect(existsSync(join(directory, 'current.next'))).toBe(false)
})
