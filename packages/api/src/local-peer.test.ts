import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerOf } from './local-peer.ts'
import { type Panel, startPanel } from './testing/panel.ts'

let panel: Panel
beforeAll(async () => {
  panel = await startPanel()
})
afterAll(() => panel[Symbol.asyncDispose]())

/** What a program of that user reads from the panel, over the given address. */
async function askAs(uid: number, host: string, options = ''): Promise<string> {
  const program = `
    const socket = require('node:net').connect({ port: ${panel.port}, host: ${JSON.stringify(host)}, ${options} }, () => {
      socket.write('GET /healthz HTTP/1.1\\r\\nHost: 127.0.0.1:${panel.port}\\r\\nConnection: close\\r\\n\\r\\n')
    })
    socket.on('data', (data) => process.stdout.write(data)).on('error', () => {})
  `
  const child = spawn('/usr/bin/setpriv', [
    `--reuid=${uid}`,
    `--regid=${uid}`,
    '--clear-groups',
    '/usr/bin/node',
    '-e',
    program,
  ])
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += String(chunk)
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  return text
}

test.each([20_000, 34_567, 59_999])("a site's user %i gets no byte", async (uid) => {
  expect(await askAs(uid, '127.0.0.1')).toBe('')
})

test.each([0, 33, 1000, 60_000])('user %i is answered', async (uid) => {
  expect(await askAs(uid, '127.0.0.1')).toContain('200 OK')
})

test("a site's user gets no byte under another loopback address, with a port that somebody else uses", async () => {
  const held = connect({ port: panel.port, host: '127.0.0.1', localAddress: '127.0.0.1' })
  await once(held, 'connect')
  const text = await askAs(20_001, '127.0.0.1', `localAddress: '127.0.0.2', localPort: ${held.localPort}`)
  held.destroy()
  expect(text).toBe('')
  expect(await askAs(1000, '127.0.0.1', `localAddress: '127.0.0.2'`)).toContain('200 OK')
})

test("what a site's user sends is not carried out either when the sender closes at once", async () => {
  const { accountId, cookie } = await panel.signedIn('admin')
  const request = `POST /api/logout HTTP/1.1\r\nHost: 127.0.0.1:${panel.port}\r\nCookie: ${cookie}\r\n\r\n`
  const program = `
    for (let count = 0; count < 100; count++) {
      const socket = require('node:net').connect(${panel.port}, '127.0.0.1', () => {
        socket.write(${JSON.stringify(request)}, () => socket.destroy())
      })
      socket.on('error', () => {})
    }
  `
  // The panel runs in this process: it accepts the connections only when their sender is gone.
  const argv = ['--reuid=20001', '--regid=20001', '--clear-groups', '/usr/bin/node', '-e', program]
  expect(spawnSync('/usr/bin/setpriv', argv).status).toBe(0)
  await panel.send('GET', '/healthz')
  const own = panel.context.db.selectFrom('sessions').select('id').where('account_id', '=', accountId)
  expect(await own.execute()).toHaveLength(1)
  // The positive control: the same request of another user is carried out.
  expect((await panel.send('POST', '/api/logout', { cookie })).status).toBe(204)
  expect(await own.execute()).toHaveLength(0)
})

test('many connections at once are all answered', async () => {
  const answers = await Promise.all(Array.from({ length: 200 }, () => panel.send('GET', '/healthz')))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
})

test('the owner is found among the connections of IPv6 too', async () => {
  const server = createServer().listen(0, '::')
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  for (const host of ['::1', '127.0.0.1', '::ffff:127.0.0.1']) {
    const socket = connect(port, host)
    await once(socket, 'connect')
    expect(await ownerOf(host, socket.localPort ?? 0, port)).toBe(process.getuid?.())
    expect(await ownerOf(host, 1, port)).toBeUndefined()
    socket.destroy()
  }
  server.close()
})
