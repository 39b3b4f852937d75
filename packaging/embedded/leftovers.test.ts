import { type ChildProcess, spawn } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endLeftovers, findLeftovers } from './leftovers.ts'

let root: string
const children: ChildProcess[] = []

beforeEach(async () => {
  root = await mkdtemp('/var/tmp/reeve-leftovers-')
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await rm(root, { recursive: true })
})

describe('findLeftovers', () => {
  it('finds a service by the root in its title', async () => {
    const redis = await startRedis(root)
    expect(findLeftovers(root).map(({ pid }) => pid)).toEqual([redis.pid])
  })

  it('finds our own node by its place, and no other node', async () => {
    await mkdir(join(root, 'usr/lib/reeve'), { recursive: true })
    const node = join(root, 'usr/lib/reeve/node')
    await copyFile(process.execPath, node)
    const wait = ['-e', 'console.log("ready"); setInterval(() => 0, 1e6)', root]
    const ours = await start(node, wait)
    await start(process.execPath, wait)
    expect(findLeftovers(root).map(({ pid }) => pid)).toEqual([ours.pid])
  })

  it('finds any program of a site user that holds a file below the root', async () => {
    const path = join(root, 'file')
    await writeFile(path, '')
    const asSite =
      "exec setpriv --reuid=20001 --regid=20001 --clear-groups -- sh -c 'echo ready; exec sleep 60'"
    await start('/bin/bash', ['-c', asSite])
    expect(findLeftovers(root)).toEqual([])
    const holder = await start('/bin/bash', ['-c', `exec 9<${path}; ${asSite}`])
    expect(findLeftovers(root).map(({ pid }) => pid)).toEqual([holder.pid])
  })

  it("leaves a person's tail and shell alone", async () => {
    await writeFile(join(root, 'api.log'), 'ready\n')
    await start('/usr/bin/tail', ['-f', join(root, 'api.log')])
    await start('/bin/bash', ['-c', `cd ${root}; echo ready; read -r`])
    expect(findLeftovers(root)).toEqual([])
  })

  it('does not take a root for another one that begins alike', async () => {
    await mkdir(`${root}-other`)
    await startRedis(`${root}-other`)
    expect(findLeftovers(root)).toEqual([])
    await rm(`${root}-other`, { recursive: true })
  })
})

describe('endLeftovers', () => {
  it('asks first', async () => {
    const redis = await startRedis(root)
    const ended = new Promise((resolve) => redis.once('exit', (code, signal) => resolve({ code, signal })))
    expect(await endLeftovers(root, 5000)).toHaveLength(1)
    expect(await ended).toEqual({ code: 0, signal: null })
    expect(findLeftovers(root)).toEqual([])
  })

  it('kills what does not listen', async () => {
    const redis = await startRedis(root)
    redis.kill('SIGSTOP')
    const ended = new Promise((resolve) => redis.once('exit', (_code, signal) => resolve(signal)))
    await endLeftovers(root, 200)
    expect(await ended).toBe('SIGKILL')
  })
})

function startRedis(folder: string): Promise<ChildProcess> {
  const args = ['--port', '0', '--unixsocket', join(folder, 'r.sock'), '--save', '', '--daemonize', 'no']
  return start('/usr/bin/redis-server', args, /ready to accept|will now exit|accept connections/i)
}

function start(program: string, args: readonly string[], isUp = /ready/): Promise<ChildProcess> {
  const child = spawn(program, args, { cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`${program} ended early`)))
    child.stdout.on('data', (chunk: Buffer) => {
      if (isUp.test(chunk.toString())) resolve(child)
    })
  })
}
