import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { AppError } from '@reeve/contract/errors.ts'
import { operation } from '@reeve/contract/operation.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import * as z from 'zod'
import { bind, createDispatcher } from './dispatch.ts'
import { makeFolder } from './testing/folder.ts'

const echo = operation({
  name: 'test.echo',
  summary: 'Answers with what it got',
  input: z.strictObject({
    word: z.string().max(5),
    nested: z.strictObject({ flag: z.boolean() }).optional(),
  }),
  output: z.strictObject({ word: z.string() }),
})

let socketPath: string
let calls: unknown[]
let server: ReturnType<typeof createDispatcher>

beforeEach(async () => {
  calls = []
  socketPath = join(makeFolder('dispatch'), 'agent.sock')
  const handler = bind(echo, async (input, progress) => {
    calls.push(input)
    progress.step('work', 'running')
    if (input.word === 'fail') throw new AppError('refused', 'This word is refused.', { field: 'word' })
    if (input.word === 'crash') throw new TypeError('internal detail')
    return { word: input.word }
  })
  server = createDispatcher([handler], () => {})
  server.listen(socketPath)
  await once(server, 'listening')
})

afterEach(() => {
  server.closeAllConnections()
  server.close()
})

function call(method: string, path: string, body: string): Promise<{ status: number; lines: unknown[] }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; lines: unknown[] }>()
  const outgoing = request({ socketPath, method, path, agent: false }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    response.on('end', () => {
      const lines = text.trim().split('\n').filter(Boolean)
      resolve({ status: response.statusCode ?? 0, lines: lines.map((line): unknown => JSON.parse(line)) })
    })
  })
  outgoing.on('error', reject)
  outgoing.end(body)
  return promise
}

it('streams steps and ends with the result', async () => {
  const { status, lines } = await call('POST', '/test.echo', '{"word":"hello"}')
  expect(status).toBe(200)
  expect(lines).toEqual([
    { type: 'step', name: 'work', state: 'running' },
    { type: 'result', result: { word: 'hello' } },
  ])
})

const refused: [name: string, method: string, path: string, body: string, code: string][] = [
  ['an unknown operation', 'POST', '/test.other', '{}', 'not_found'],
  ['another method', 'GET', '/test.echo', '', 'not_found'],
  ['a path that only looks like it', 'POST', '/test.echo/', '{"word":"a"}', 'not_found'],
  ['a body that is no JSON', 'POST', '/test.echo', '{', 'invalid_request'],
  ['an unknown field', 'POST', '/test.echo', '{"word":"a","more":1}', 'invalid_request'],
  [
    'an unknown field further in',
    'POST',
    '/test.echo',
    '{"word":"a","nested":{"flag":true,"x":1}}',
    'invalid_request',
  ],
  ['a wrong type', 'POST', '/test.echo', '{"word":1}', 'invalid_request'],
  ['a body over the cap', 'POST', '/test.echo', `{"word":"${'x'.repeat(1024 * 1024)}"}`, 'too_large'],
]

it.each(refused)('refuses %s and runs nothing', async (_name, method, path, body, code) => {
  const { lines } = await call(method, path, body)
  expect(lines.at(-1)).toMatchObject({ type: 'error', error: { code } })
  expect(calls).toEqual([])
})

it('passes an error on with its details, and an unforeseen one as internal', async () => {
  const foreseen = await call('POST', '/test.echo', '{"word":"fail"}')
  expect(foreseen.lines.at(-1)).toEqual({
    type: 'error',
    error: { code: 'refused', error: 'This word is refused.', field: 'word' },
  })
  const unforeseen = await call('POST', '/test.echo', '{"word":"crash"}')
  expect(unforeseen.lines.at(-1)).toMatchObject({ type: 'error', error: { code: 'internal' } })
})

it('finishes an operation whose caller went away', async () => {
  const outgoing = request({ socketPath, method: 'POST', path: '/test.echo', agent: false })
  outgoing.on('error', () => {})
  outgoing.end('{"word":"gone"}')
  await once(outgoing, 'finish')
  outgoing.destroy()
  await expect.poll(() => calls).toEqual([{ word: 'gone' }])
})

it('refuses more bodies at once than it has room for, and has room again when their callers are gone', async () => {
  const sockets = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const socket = connect(socketPath)
      socket.on('error', () => {})
      socket.write('POST /test.echo HTTP/1.1\r\nHost: agent\r\nContent-Length: 1048576\r\n\r\n')
      socket.write(Buffer.alloc(512 * 1024, 32))
      await once(socket, 'connect')
      return socket
    }),
  )
  await expect
    .poll(async () => (await call('POST', '/test.echo', '{"word":"a"}')).lines.at(-1))
    .toMatchObject({ type: 'error', error: { code: 'too_large' } })
  for (const socket of sockets) socket.destroy()
  await expect
    .poll(async () => (await call('POST', '/test.echo', '{"word":"b"}')).lines.at(-1))
    .toEqual({ type: 'result', result: { word: 'b' } })
})
