import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Daemon, startDaemon } from './daemon.ts'

let folder: string
let logPath: string
let said: string[]
let daemon: Daemon | undefined

beforeEach(async () => {
  folder = await mkdtemp('/var/tmp/reeve-daemon-')
  logPath = join(folder, 'a.log')
  said = []
})
afterEach(async () => {
  await daemon?.stop(100)
  daemon = undefined
  await rm(folder, { recursive: true })
})

const start = (script: string) => {
  daemon = startDaemon({
    name: 'a',
    command: ['/bin/bash', '-c', script],
    env: {},
    logPath,
    say: (line) => said.push(line),
  })
  return daemon
}

it('keeps its lines in the file and shows them with its name', async () => {
  start('echo out; echo err >&2; sleep 60')
  await expect.poll(() => said.filter((line) => line.startsWith('a ')).length).toBe(2)
  expect(said).toEqual(expect.arrayContaining(['a     │ out', 'a     │ err']))
  expect(await readFile(logPath, 'utf8')).toMatch(/^\S+Z (out|err)\n\S+Z (out|err)\n$/)
})

it('starts again, later each time', async () => {
  const { deaths } = start('exit 3')
  await expect.poll(deaths, { timeout: 5000 }).toBeGreaterThanOrEqual(3)
  expect(said.slice(0, 3)).toEqual([
    'a ended (exit code 3); it starts again in 0.2 s.',
    'a ended (exit code 3); it starts again in 0.4 s.',
    'a ended (exit code 3); it starts again in 0.8 s.',
  ])
})

it('is gone after stop and does not start again', async () => {
  const running = start('echo $$; exec sleep 60')
  await expect.poll(() => said.length).toBe(1)
  await running.stop(1000)
  const pid = said[0]?.split(' ').at(-1)
  await expect(stat(`/proc/${pid}`)).rejects.toThrow('ENOENT')
  expect(running.deaths()).toBe(0)
})

it('kills what does not end in time', async () => {
  const running = start('trap "" TERM; echo up; while :; do sleep 0.1; done')
  await expect.poll(() => said.length).toBe(1)
  await running.stop(300)
  expect(said).toContain('a did not end within 0.3 s and is killed.')
})

it('can be stopped while it waits to start again', async () => {
  const running = start('exit 1')
  await expect.poll(running.deaths).toBe(1)
  await running.stop(1000)
  const before = said.length
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect(said).toHaveLength(before)
})

it('puts a long log aside', async () => {
  await writeFile(logPath, '')
  await truncate(logPath, 11 * 1024 * 1024)
  start('echo new; sleep 60')
  await expect.poll(async () => (await stat(logPath).catch(() => undefined))?.size ?? 0).toBeLessThan(100)
  expect((await stat(`${logPath}.1`)).size).toBe(11 * 1024 * 1024)
})
