import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endpoints } from '@reeve/contract/endpoints.ts'
import { describe, expect, test } from 'vitest'
import { generated } from './openapi.ts'
import { openApiDocument } from './system/openapi.ts'
import { version } from './version.ts'

describe('generated files are as the code says (run: node packages/api/src/openapi.ts)', () => {
  test.each(generated)('$path', ({ path, text }) => {
    expect(readFileSync(path, 'utf8')).toBe(text())
  })
})

describe('the list of endpoints', () => {
  const rowOf = ({ method, path, role }: { method: string; path: string; role: string }) =>
    `${method} ${path} ${role}`
  const specified = readFileSync(join(import.meta.dirname, 'testing/specified-endpoints.txt'), 'utf8')
    .trim()
    .split('\n')
  const keyOf = (row: string) => row.split(' ').slice(0, 2).join(' ')

  test('has every specified endpoint under its specified role', () => {
    const roles = new Map(specified.map((row) => [keyOf(row), row]))
    const wrong = endpoints.map(rowOf).filter((row) => roles.has(keyOf(row)) && roles.get(keyOf(row)) !== row)
    expect(wrong).toEqual([])
  })

  test('goes beyond the specification only where this says so', () => {
    const known = new Set(specified.map(keyOf))
    const beyond = endpoints.map(rowOf).filter((row) => !known.has(keyOf(row)))
    expect(beyond.sort()).toEqual([
      'GET /api/openapi.json auth',
      'GET /api/sites/{id}/logs auth',
      'GET /api/sites/{id}/sftp auth',
      'GET /api/system/capacity auth',
      'POST /api/sites/{id}/connector/rotate manage',
      'PUT /api/users/{id} admin',
    ])
  })

  test('names each operation and each method and path once', () => {
    const names = endpoints.map(({ name }) => name)
    const keys = endpoints.map((endpoint) => keyOf(rowOf(endpoint)))
    expect(new Set(names).size).toBe(endpoints.length)
    expect(new Set(keys).size).toBe(endpoints.length)
  })

  test('has a scope wherever the path names a site, so that an operator cannot step around it', () => {
    const unscoped = endpoints.filter(
      ({ path, scope }) => path.startsWith('/api/sites/{id}') && scope !== 'site',
    )
    expect(unscoped.map(({ path }) => path)).toEqual([])
  })
})

test('every reference of the document leads to a description', () => {
  const document = openApiDocument()
  const text = JSON.stringify(document)
  const names = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? '')
  expect(new Set(names).size).toBeGreaterThan(3)
  const { schemas } = document['components'] as { schemas: Record<string, Record<string, unknown>> }
  for (const name of names) expect(schemas[name]?.['properties']).toBeDefined()
  expect(text).not.toContain('$defs')
})

test('the version is the one of the package', () => {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
  expect(manifest).toMatchObject({ version })
})
