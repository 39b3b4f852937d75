// The short form of a flood: wrong passwords for the admin from ever new forged addresses, as fast as they go.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'

const wrongLogins = Number(process.env['REEVE_FLOOD'] ?? 20_000)
const email = 'admin@example.test'
const password = 'correct horse battery staple'

interface Reply {
  readonly status: number
  readonly cookies: string
  readonly retryAfterS: number
  readonly ms: number
}

function ask(port: number, agent: Agent, path: string, body?: object, headers: object = {}): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const started = performance.now()
  const outgoing = request(
    {
      host: '127.0.0.1',
      port,
      path,
      agent,
      method: body ? 'POST' : 'GET',
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    },
    (response) => {
      response.resume().on('end', () => {
        const cookies = (response.headers['set-cookie'] ?? [])
          .map((cookie) => cookie.split(';')[0])
          .join('; ')
        const retryAfterS = Number(response.headers['retry-after'] ?? 0)
        resolve({ status: response.statusCode ?? 0, cookies, retryAfterS, ms: performance.now() - started })
      })
    },
  )
  outgoing.on('error', reject)
  outgoing.end(body && JSON.stringify(body))
  return promise
}

test('a flood of wrong logins slows nobody else down and keeps the admin out for no longer than 5 s', async () => {
  const folder = mkdtempSync('/var/tmp/reeve-flood-')
  const program = `import(${JSON.stringify(join(import.meta.dirname, '../main.ts'))}).then((main) => main.runApi(process.env))`
  const child = spawn(process.execPath, ['-e', program], { env: { REEVE_ROOT: folder, REEVE_PORT: '0' } })
  const port = await new Promise<number>((resolve) => {
    let log = ''
    child.stderr.on('data', (chunk: Buffer) => {
      log += String(chunk)
      const found = /api listens .*port=(\d+)/.exec(log)?.[1]
      if (found) resolve(Number(found))
    })
  })
  try {
    const own = new Agent({ keepAlive: true, maxSockets: 4 })
    const token = readFileSync(join(folder, 'var/lib/reeve/setup-token'), 'utf8').trim()
    expect((await ask(port, own, '/api/setup', { token, email, password })).status).toBe(201)
    const admin = await ask(port, own, '/api/login', { email, password })
    const device = admin.cookies.split('; ').find((cookie) => cookie.includes('device')) ?? ''

    const strangers = new Agent({ keepAlive: true, maxSockets: 24 })
    let sent = 0
    const replies = new Map<number, number>()
    const flooder = async () => {
      while (sent < wrongLogins) {
        const number = sent++
        const forged = `203.0.${number % 256}.${Math.floor(number / 256) % 256}`
        const { status } = await ask(
          port,
          strangers,
          '/api/login',
          { email, password: `guess ${number}` },
          {
            'x-forwarded-for': forged,
            'cf-connecting-ip': forged,
            'x-real-ip': forged,
            forwarded: `for=${forged}`,
          },
        )
        replies.set(status, (replies.get(status) ?? 0) + 1)
      }
    }
    const flood = Promise.all(Array.from({ length: 24 }, flooder))
    const samples: number[] = []
    const watch = (async () => {
      while (sent < wrongLogins) {
        samples.push((await ask(port, own, '/api/me', undefined, { cookie: admin.cookies })).ms)
        await sleep(10)
      }
    })()
    await sleep(300)
    const started = performance.now()
    const signedIn = await ask(port, own, '/api/login', { email, password }, { cookie: device })
    const signInMs = performance.now() - started
    await Promise.all([flood, watch])
    strangers.destroy()
    own.destroy()
    samples.sort((a, b) => a - b)
    const p95 = samples[Math.floor(samples.length * 0.95)] ?? Number.POSITIVE_INFINITY
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    const peakMb = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    console.log(
      `flood: ${wrongLogins} wrong logins, answers ${JSON.stringify(Object.fromEntries(replies))}, ` +
        `p95 of other requests ${p95.toFixed(1)} ms, admin in after ${signInMs.toFixed(0)} ms, peak ${peakMb} MB`,
    )
    expect(signedIn.status).toBe(200)
    expect(signInMs).toBeLessThan(5000)
    expect(samples.length).toBeGreaterThan(20)
    expect(p95).toBeLessThan(200)
    expect(replies.get(401) ?? 0).toBeLessThan(100)
    expect((replies.get(401) ?? 0) + (replies.get(429) ?? 0)).toBe(wrongLogins)
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(folder, { recursive: true })
  }
}, 120_000)
