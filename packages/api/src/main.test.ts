import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let folder: string
beforeEach(() => {
  folder = mkdtempSync('/var/tmp/reeve-main-')
})
afterEach(() => rmSync(folder, { recursive: true }))

const program = `import(${JSON.stringify(join(import.meta.dirname, 'main.ts'))}).then((main) => main.runApi(process.env))`

async function start() {
  const child = spawn(process.execPath, ['-e', program], { env: { REEVE_ROOT: folder, REEVE_PORT: '0' } })
  let log = ''
  const { promise: ready, resolve } = Promise.withResolvers<number>()
  child.stderr.on('data', (chunk: Buffer) => {
    log += String(chunk)
    const port = /api listens .*port=(\d+)/.exec(log)?.[1]
    if (port) resolve(Number(port))
  })
  const ended = once(child, 'exit')
  const port = await Promise.race([ready, ended.then(() => Promise.reject(new Error(log)))])
  return { child, ended, port, log: () => log }
}

describe('the API process', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'stops within two seconds of %s, with connections open',
    async (signal) => {
      const { child, ended, port } = await start()
      const open = await fetch(`http://127.0.0.1:${port}/healthz`)
      expect(await open.json()).toMatchObject({ status: 'ok' })
      const started = Date.now()
      child.kill(signal)
      const [code] = await ended
      expect(code).toBe(0)
      expect(Date.now() - started).toBeLessThan(2000)
    },
  )

  test('keeps its files to itself and the setup token until it is used', async () => {
    const state = join(folder, 'var/lib/reeve')
    const first = await start()
    const token = readFileSync(join(state, 'setup-token'), 'utf8')
    for (const name of ['setup-token', 'secret.key', 'state.db']) {
      expect(statSync(join(state, name)).mode & 0o777).toBe(0o600)
    }
    first.child.kill('SIGKILL')
    await first.ended
    const second = await start()
    expect(readFileSync(join(state, 'setup-token'), 'utf8')).toBe(token)
    const body = JSON.stringify({ token: token.trim(), email: 'a@example.test', password: 'a long password' })
    const answer = await fetch(`http://127.0.0.1:${second.port}/api/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(answer.status).toBe(201)
    expect(existsSync(join(state, 'setup-token'))).toBe(false)
    second.child.kill('SIGTERM')
    await second.ended
    expect(second.log()).not.toContain(token.trim())
  })

  test('makes other keys and tokens on another machine', async () => {
    const here = await start()
    const other = mkdtempSync('/var/tmp/reeve-main-')
    const mine = folder
    folder = other
    const there = await start()
    for (const name of ['setup-token', 'secret.key']) {
      const [a, b] = [mine, other].map((root) => readFileSync(join(root, 'var/lib/reeve', name)))
      expect(a?.equals(b ?? Buffer.alloc(0))).toBe(false)
    }
    for (const { child, ended } of [here, there]) {
      child.kill('SIGTERM')
      await ended
    }
    rmSync(mine, { recursive: true })
  })
})
