import { closeSync, mkdtempSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dlopen } from 'node:ffi'
import { expect, it } from 'vitest'
import { connectSupervisor, unixAddress } from './notify.ts'

/** The receiving end, as systemd has it. */
function listenAt(path: string) {
  const { functions: libc } = dlopen(null, {
    socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
    bind: { arguments: ['i32', 'pointer', 'u32'], return: 'i32' },
  })
  const nonBlocking = 0o4000
  const fd = libc.socket(1, 2 | nonBlocking, 0)
  const address = unixAddress(path)
  if (fd < 0 || libc.bind(fd, address, address.length) !== 0) throw new Error(`cannot listen at ${path}`)
  const buffer = Buffer.alloc(100)
  return {
    /** The next message, or undefined when none has come. */
    next(): string | undefined {
      try {
        return buffer.toString('utf8', 0, readSync(fd, buffer))
      } catch {
        return undefined
      }
    },
    [Symbol.dispose]: () => closeSync(fd),
  }
}

it.each(['in the file system', 'outside of it'])('tells a systemd that listens %s', async (where) => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-notify-'))
  const path = where === 'outside of it' ? `@${folder}` : join(folder, 'notify')
  using systemd = listenAt(path)
  const supervisor = await connectSupervisor({ NOTIFY_SOCKET: path, WATCHDOG_USEC: '60000' })
  expect(systemd.next()).toBeUndefined()
  supervisor.ready()
  expect(systemd.next()).toBe('READY=1')
  await expect.poll(() => systemd.next(), { timeout: 10_000 }).toBe('WATCHDOG=1')
  await expect.poll(() => systemd.next(), { timeout: 10_000 }).toBe('WATCHDOG=1')
  rmSync(folder, { recursive: true })
})

it('says so when nobody listens, and does nothing without a supervisor', async () => {
  const lost = await connectSupervisor({ NOTIFY_SOCKET: '/nonexistent/notify' })
  expect(() => lost.ready()).toThrow('nothing listens at /nonexistent/notify')
  const none = await connectSupervisor({ WATCHDOG_USEC: '1000' })
  expect(() => none.ready()).not.toThrow()
})
