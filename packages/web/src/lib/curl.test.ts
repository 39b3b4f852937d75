import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { curlLine } from './curl.ts'

describe('curlLine', () => {
  it('names method, address and body', () => {
    expect(
      curlLine('https://p.test', { method: 'POST', path: '/api/sites', body: { domain: 'a.test' } }),
    ).toBe(
      `curl -X POST --cookie "__Host-reeve=$REEVE_SESSION" --json '{"domain":"a.test"}' 'https://p.test/api/sites'`,
    )
  })
  it('never carries a secret', () => {
    const line = curlLine('https://p.test', {
      method: 'POST',
      path: '/api/sites',
      body: { admin_password: 'hunter2hunter2', domain: 'a.test' },
    })
    expect(line).not.toContain('hunter2')
    expect(line).toContain('<admin_password>')
  })
  it('survives a real shell with quotes, dollars and newlines in the body', () => {
    const title = `it's "$HOME" \`id\`\n; rm`
    const line = curlLine('https://p.test', { method: 'POST', path: '/x', body: { title } })
    const argument = execFileSync('/bin/sh', ['-c', line.replace(/^curl/, 'printf "%s\\0"')], {
      encoding: 'utf8',
    })
    const json = argument.split('\0').find((part) => part.startsWith('{')) ?? ''
    expect(JSON.parse(json)).toEqual({ title })
  })
})
