// A panel that gets its certificates from a Pebble of its own, and somebody who looks at them all the time.
import { rmSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { connect } from 'node:tls'
import type { Site } from '@reeve/contract/sites.ts'
import type { Task } from '@reeve/contract/tasks.ts'
import { openFailpoints } from './failpoints.ts'
import type { Panel, TaskWithLog } from './panel.ts'
import { type AuthorityOptions, type CertificateAuthority, startAuthority } from './pebble.ts'
import { type Reeve, startReeve } from './reeve.ts'

export interface CertificateLab extends AsyncDisposable {
  authority: CertificateAuthority
  reeve: Reeve
  panel: Panel
  /** Creates a site whose names lead to the panel. */
  createSite(fields: Readonly<Record<string, unknown>> & { domain: string }): Promise<Site>
  site(id: string): Promise<Site>
  issue(id: string): Promise<TaskWithLog>
  /** Makes the next failpoint, as REEVE_FAILPOINT_FILE takes it. */
  arm(failpoint: string): void
  /** False while the failpoint was not reached; forgets it. */
  hasFired(): boolean
  /** Does what the timer does, and answers the sentence of its failure. */
  renewDue(): Promise<string | undefined>
  /** A name that no site has yet, also when a test is run again. */
  newName(): string
  configure(id: string, change: object): Promise<void>
  /** The certificate that visitors of this name see. */
  seenBy(name: string): Promise<Presented>
  /** How many orders the authority has been sent. */
  orders(): number
  /** Runs it while somebody shakes hands all the time; throws when one of them failed. */
  watched<T>(name: string, action: () => Promise<T>): Promise<{ result: T; seen: string[] }>
}

export async function openCertificateLab(options: AuthorityOptions = {}): Promise<CertificateLab> {
  await using opening = new AsyncDisposableStack()
  const failpoints = opening.use(openFailpoints())
  const authority = opening.use(await startAuthority(options))
  const reeve = opening.use(await startReeve({ env: { ...authority.env, ...failpoints.env } }))
  await authority.port80.forwardTo(reeve.httpPort)
  const panel = await reeve.panel()
  let made = 0
  const owned = opening.move()
  return {
    authority,
    reeve,
    panel,
    async createSite(fields) {
      const aliases = Array.isArray(fields['aliases']) ? fields['aliases'].map(String) : []
      await authority.lead([fields.domain, ...aliases], '127.0.0.1')
      return panel.createSite(fields)
    },
    site: async (id) => (await panel.call<Site>('GET', `/api/sites/${id}`)).body,
    async issue(id) {
      const accepted = await panel.call<{ task: Task }>('POST', `/api/sites/${id}/certificate`)
      if (accepted.status !== 202)
        throw new Error(`issuing answered ${accepted.status}: ${JSON.stringify(accepted.body)}`)
      return panel.taskEnd(accepted.body.task.id, 120_000)
    },
    arm: failpoints.arm,
    hasFired() {
      const isLeft = failpoints.isArmed()
      rmSync(failpoints.path, { force: true })
      return !isLeft
    },
    renewDue: () => runTimer(reeve.root, 'certificates'),
    newName: () => `site${++made}.example.com`,
    async configure(id, change) {
      const { body } = await panel.call<{ task: Task }>('PUT', `/api/sites/${id}/config`, change)
      const { state, error } = await panel.taskEnd(body.task.id)
      if (state !== 'succeeded') throw new Error(`The configuration was not changed: ${error}`)
    },
    seenBy: (name) => presented(name, reeve.https.port),
    orders: () => authority.front.requests.filter((asked) => asked === 'POST /order-plz').length,
    watched: (name, action) => whileWatched(watchPresented(name, reeve.https.port), action),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Asks the agent as root does, on its socket. */
function runTimer(root: string, name: string): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  const call = request(
    { socketPath: join(root, 'run/reeve/agent.sock'), path: '/timer.run', method: 'POST', agent: false },
    (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('error', reject)
      response.on('end', () => {
        const last: unknown = JSON.parse(text.trim().split('\n').at(-1) ?? '')
        const { type, error } = last as { type: string; error?: { error: string } }
        resolve(type === 'result' ? undefined : error?.error)
      })
    },
  )
  call.setTimeout(120_000, () => call.destroy(new Error(`timer ${name} did not end within 120 s`)))
  call.on('error', reject)
  call.end(JSON.stringify({ name }))
  return promise
}

export interface Presented {
  fingerprint: string
  serial: string
  authority: string
  names: string[]
}

/** The certificate that visitors of this name see. */
export function presented(name: string, port: number): Promise<Presented> {
  const { promise, resolve, reject } = Promise.withResolvers<Presented>()
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername: name,
    rejectUnauthorized: false,
    timeout: 10_000,
  })
  socket.on('secureConnect', () => {
    const { fingerprint256, serialNumber, issuer, subjectaltname } = socket.getPeerCertificate()
    const names = (subjectaltname ?? '').split(', ').map((entry) => entry.replace(/^DNS:/, ''))
    resolve({ fingerprint: fingerprint256, serial: serialNumber, authority: String(issuer['CN']), names })
    socket.end()
  })
  socket.on('timeout', () => socket.destroy(new Error('timed out')))
  socket.on('error', reject)
  return promise
}

export interface Watch {
  /** Fingerprints in the order they were first seen, and handshakes that failed. */
  stop(): Promise<{ seen: string[]; handshakes: number; failures: string[] }>
}

/** Shakes hands again and again. */
export function watchPresented(name: string, port: number): Watch {
  const seen: string[] = []
  const failures: string[] = []
  let handshakes = 0
  let isStopped = false
  const loop = async () => {
    while (!isStopped) {
      handshakes++
      try {
        const { fingerprint } = await presented(name, port)
        // While nginx reloads, old and new workers take turns.
        if (!seen.includes(fingerprint)) seen.push(fingerprint)
      } catch (error) {
        failures.push(`handshake ${handshakes}: ${String(error)}`)
      }
      await new Promise((done) => setTimeout(done, 10))
    }
  }
  const running = loop()
  return {
    async stop() {
      isStopped = true
      await running
      return { seen, handshakes, failures }
    },
  }
}

async function whileWatched<T>(
  watch: Watch,
  action: () => Promise<T>,
): Promise<{ result: T; seen: string[] }> {
  try {
    const result = await action()
    const { seen, failures, handshakes } = await watch.stop()
    if (failures.length > 0 || handshakes < 2) throw new Error(failures.join('\n') || 'Nobody shook hands.')
    return { result, seen }
  } finally {
    await watch.stop()
  }
}
