// A good request for every endpoint that takes text, and the same with hostile text in one of its places.
import { type Answer, callPatiently, type Panel } from '../panel.ts'
import type { Field } from './fields.ts'

/** What the requests are about. */
export interface Subjects {
  site: string
  task: string
  cron: string
  account: string
}

interface Sample {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: object
}

const password = 'a long enough password'

/** What an endpoint needs beyond the resource that its scope names. */
const samples: Readonly<Record<string, (subjects: Subjects) => Sample>> = {
  completeSetup: () => ({ body: { token: 'x', email: 'somebody@example.com', password } }),
  login: () => ({ body: { email: 'somebody@example.com', password } }),
  changePassword: () => ({ body: { current_password: password, new_password: password } }),
  confirmTwoFactor: () => ({ body: { code: '000000' } }),
  disableTwoFactor: () => ({ body: { password } }),
  revokeSession: () => ({ params: { id: `e${'a'.repeat(15)}` } }),
  createUser: () => ({ body: { email: 'somebody@example.com', password, role: 'operator', site_ids: [] } }),
  updateUser: ({ account }) => ({ params: { id: account }, body: { role: 'readonly' } }),
  deleteUser: ({ account }) => ({ params: { id: account } }),
  createSite: () => ({
    body: {
      domain: 'refused.example.com',
      type: 'wordpress',
      admin_email: 'editor@example.com',
      admin_user: 'editor',
      admin_password: password,
    },
  }),
  updateSiteConfig: () => ({
    body: { redirects: [{ from: '/old', to: '/new' }], basic_auth: { user: 'guest', password } },
  }),
  getServerLog: () => ({ query: { source: 'agent' } }),
  createCronJob: () => ({ body: { schedule: '@daily', command: 'true' } }),
  setSftp: () => ({ body: { enabled: true } }),
  deleteSshKey: () => ({ params: { fingerprint: 'A'.repeat(43) } }),
  resolveDrift: () => ({ params: { id: `d${'a'.repeat(15)}` }, body: { action: 'restore' } }),
}

/** Sends the good request of the field's endpoint with `text` in the field's place. */
export async function sendWith(
  panel: Panel,
  { endpoint, part, path }: Field,
  subjects: Subjects,
  text: string,
): Promise<Answer<{ field?: string; code?: string; error?: string }>> {
  const { params = {}, query = {}, body = {} } = structuredClone(samples[endpoint.name]?.(subjects) ?? {})
  const scoped = endpoint.scope === undefined ? {} : { id: subjects[endpoint.scope] }
  const parts = { params: { ...scoped, ...params }, query, body }
  put(parts[part], path, text)
  const address = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(valueOf(parts.params, name)),
  )
  const search = new URLSearchParams(parts.query)
  const url = search.size > 0 ? `${address}?${search.toString()}` : address
  return await callPatiently(panel, endpoint.method, url, endpoint.method === 'GET' ? undefined : parts.body)
}

function put(target: object, [key = '', ...rest]: readonly string[], text: string): void {
  if (rest.length === 0) return void Object.assign(target, { [key]: text })
  const inner = (target as Record<string, object>)[key] ?? (rest[0] === '0' ? [] : {})
  Object.assign(target, { [key]: inner })
  put(inner, rest, text)
}

function valueOf(params: Readonly<Record<string, string>>, name: string): string {
  const value = params[name]
  if (value === undefined) throw new Error(`the sample has no ${name}`)
  return value
}
