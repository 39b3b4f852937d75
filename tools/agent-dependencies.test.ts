import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { agentDependencies } from './agent-dependencies.ts'

const repository = resolve(import.meta.dirname, '..')
const committed = readFileSync(join(repository, 'packages/agent/agent-dependencies.txt'), 'utf8')

describe('the dependencies of the root process', () => {
  it('are the committed ones', () => {
    expect(`${agentDependencies().join('\n')}\n`).toBe(committed)
  })

  it('are few', () => {
    expect(agentDependencies().length).toBeLessThanOrEqual(5)
  })

  it('are all that its bundle holds', async () => {
    const { metafile } = await build({
      absWorkingDir: repository,
      entryPoints: ['packages/agent/src/main.ts'],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      outfile: 'agent.mjs',
      logLevel: 'silent',
    })
    const bundled = Object.keys(metafile.inputs).flatMap(
      (path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
    )
    expect(bundled.length).toBeGreaterThan(0)
    const listed = committed.split('\n').map((line) => line.split(' ')[0])
    expect([...new Set(bundled)].filter((name) => !listed.includes(name))).toEqual([])
  })
})
