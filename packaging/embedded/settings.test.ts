import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { busyPorts, readSettings } from './settings.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp('/var/tmp/reeve-settings-')
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true }))

describe('readSettings', () => {
  it('takes the documented ports when nothing is set', async () => {
    const { settings, problems } = await readSettings({ REEVE_ROOT: folder })
    expect(problems).toEqual([])
    expect(settings).toMatchObject({ root: folder, panelPort: 5252, httpPort: 8080, httpsPort: 8443 })
  })

  it.each(['0', '65536', '80a', '-1', '1e3'])('refuses %j as a port', async (port) => {
    const { problems } = await readSettings({ REEVE_ROOT: folder, REEVE_PORT: port })
    expect(problems).toEqual([`REEVE_PORT must be a port between 1 and 65535, not "${port}".`])
  })

  it('refuses one port for two things', async () => {
    const { problems } = await readSettings({
      REEVE_ROOT: folder,
      REEVE_PORT: '9000',
      REEVE_HTTP_PORT: '9000',
    })
    expect(problems).toEqual([expect.stringContaining('must differ: 9000, 9000, 8443')])
  })

  it.each(['/var/tmp/a b', '/var/tmp/a;b', '/var/tmp/a"b', '/var/tmp/é', '/var/tmp/a\nb'])(
    'refuses %j as root, because configuration files cannot hold it alike',
    async (root) => {
      const { problems } = await readSettings({ REEVE_ROOT: root })
      expect(problems).toEqual([expect.stringContaining('may only hold letters')])
    },
  )

  it('accepts a root whose longest socket path still fits and refuses one byte more', async () => {
    const longest = `/var/tmp/${'a'.repeat(107 - '/var/tmp/'.length - '/run/php/site-59999.sock'.length)}`
    expect((await readSettings({ REEVE_ROOT: longest })).problems).toEqual([])
    const { problems } = await readSettings({ REEVE_ROOT: `${longest}a` })
    expect(problems).toEqual([expect.stringContaining('1 bytes too long')])
  })

  it('refuses the system itself as root', async () => {
    const { problems } = await readSettings({ REEVE_ROOT: '/' })
    expect(problems).toEqual([expect.stringContaining('must not be "/"')])
  })

  it('names every problem at once', async () => {
    const { problems } = await readSettings({
      REEVE_ROOT: '/var/tmp/a b',
      REEVE_PORT: 'x',
      REEVE_HTTPS_PORT: 'y',
    })
    expect(problems).toHaveLength(3)
  })

  it('moves below /var/lib when others cannot enter a directory above the root', async () => {
    const closed = join(folder, 'closed')
    await mkdir(join(closed, 'deep'), { recursive: true })
    await chmod(closed, 0o700)
    const wanted = join(closed, 'deep', 'root')
    const { settings } = await readSettings({ REEVE_ROOT: wanted })
    expect(settings.root).toMatch(/^\/var\/lib\/reeve-embedded-[0-9a-f]{8}$/)
    expect(settings.replacedRoot).toEqual({ wanted, closed })
  })

  it('hands on its own variables and nothing else', async () => {
    const { settings } = await readSettings({ REEVE_ROOT: folder, REEVE_WORDPRESS_SOURCE: '/a', SECRET: 'b' })
    expect(settings.passed).toEqual({ REEVE_ROOT: folder, REEVE_WORDPRESS_SOURCE: '/a' })
  })
})

describe('busyPorts', () => {
  it('names the taken port and its variable, and only that one', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // A listening TCP server has an address object.
    const { port } = server.address() as AddressInfo
    const { settings } = await readSettings({ REEVE_ROOT: folder, REEVE_PORT: String(port) })
    const problems = await busyPorts({ ...settings, httpPort: await freePort(), httpsPort: await freePort() })
    expect(problems).toEqual([
      expect.stringMatching(new RegExp(`Port ${port} for the panel is taken.*REEVE_PORT`)),
    ])
    await new Promise((resolve) => server.close(resolve))
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
