import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Panel, startPanel } from './testing/panel.ts'

const page = `<!doctype html><title>Reeve</title>${'<p>text</p>'.repeat(200)}`
const script = 'console.log("reeve");'.repeat(100)
let web: string
let panel: Panel
beforeAll(async () => {
  web = mkdtempSync('/var/tmp/reeve-web-')
  mkdirSync(join(web, 'assets'))
  writeFileSync(join(web, 'index.html'), page)
  writeFileSync(join(web, 'assets/app-1a2b.js'), script)
  writeFileSync(join(web, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(web, '../outside.html'), 'outside')
  panel = await startPanel({ REEVE_WEB: web })
})
afterAll(async () => {
  await panel[Symbol.asyncDispose]()
  rmSync(web, { recursive: true })
  rmSync(join(web, '../outside.html'))
})

async function fetchRaw(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${panel.port}${path}`, {
    headers: { 'accept-encoding': 'identity', ...headers },
  })
  return { response, text: await response.text() }
}

describe('the user interface', () => {
  test('answers every address of its own with the page, never stored', async () => {
    for (const path of ['/', '/login', '/sites/saaaaaaaaaaaaaaa', '/index.html']) {
      const { response, text } = await fetchRaw(path)
      expect(text).toBe(page)
      expect(response.headers.get('cache-control')).toBe('no-cache')
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    }
  })

  test('keeps hashed files for ever and does not take the page for a missing one', async () => {
    const { response, text } = await fetchRaw('/assets/app-1a2b.js')
    expect(text).toBe(script)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect((await fetchRaw('/assets/gone.js')).response.status).toBe(404)
  })

  test('is compressed for those who take it', async () => {
    const get = (encoding: string) =>
      panel.send('GET', '/assets/app-1a2b.js', { headers: { 'accept-encoding': encoding } })
    for (const encoding of ['br', 'gzip']) {
      const answer = await get(`${encoding}, x`)
      expect(answer.headers['content-encoding']).toBe(encoding)
      expect(Number(answer.headers['content-length'])).toBeLessThan(script.length / 5)
    }
    expect((await get('identity')).headers['content-encoding']).toBeUndefined()
    expect((await get('identity')).text).toBe(script)
  })

  test('has an error page that is not kept', async () => {
    const { response } = await fetchRaw('/assets/gone.js')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect((await fetchRaw('/healthz')).response.headers.get('cache-control')).toBe('no-store')
  })

  test('is not sent again to those who have it', async () => {
    const { response } = await fetchRaw('/')
    const again = await fetchRaw('/', { 'if-none-match': response.headers.get('etag') ?? '' })
    expect(again.response.status).toBe(304)
    expect(again.text).toBe('')
  })

  test('answers HEAD with the length and no body', async () => {
    const answer = await panel.send('HEAD', '/assets/app-1a2b.js')
    expect(answer.status).toBe(200)
    expect(answer.text).toBe('')
    expect(answer.headers['content-length']).toBe(String(script.length))
  })

  test.each([
    '/../outside.html',
    '/assets/../../outside.html',
    '/%2e%2e/outside.html',
    '/assets/..%2f..%2foutside.html',
    '/assets//app-1a2b.js',
  ])('has no way out at %s', async (path) => {
    const answer = await panel.send('GET', path)
    expect(answer.status).toBe(404)
    expect(answer.text).not.toContain('outside\n')
  })

  test('takes no other method, and no other host', async () => {
    expect((await panel.send('POST', '/login', { body: {} })).status).toBe(404)
    expect((await panel.send('GET', '/', { headers: { host: 'evil.example.test' } })).status).toBe(421)
  })
})

test('what is compressed is what was built', async () => {
  for (const encoding of ['br', 'gzip']) {
    // fetch() undoes the encoding.
    const { response, text } = await fetchRaw('/', { 'accept-encoding': encoding })
    expect(response.headers.get('content-encoding')).toBe(encoding)
    expect(text).toBe(page)
  }
})
