import type { ApiCall } from './api.ts'

const secretFields = new Set([
  'password',
  'admin_password',
  'current_password',
  'new_password',
  'totp',
  'code',
  'token',
])

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function withoutSecrets(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const entries = Object.entries(body).map(([key, value]: [string, unknown]) => {
    return secretFields.has(key) && value !== undefined ? [key, `<${key}>`] : [key, value]
  })
  return Object.fromEntries(entries)
}

/** The request as one shell line; secrets become placeholders, the session is left to the reader. */
export function curlLine(origin: string, call: ApiCall): string {
  const parts = ['curl', '-X', call.method, '--cookie', '"__Host-reeve=$REEVE_SESSION"']
  if (call.body !== undefined) parts.push('--json', quote(JSON.stringify(withoutSecrets(call.body))))
  parts.push(quote(origin + call.path))
  return parts.join(' ')
}
