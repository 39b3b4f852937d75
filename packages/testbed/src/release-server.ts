// A place that publishes releases, over TLS: as it should be, and in the ways that a download can go wrong.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { ServerResponse } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { execute } from '../lab/execute.ts'

export interface ReleaseServer extends AsyncDisposable {
  /** Below it: `good`, `damaged` (another checksum), `cut` (ends too early), `moved` (leads out of TLS), `none`. */
  url: string
  /** The certificate to trust, as PEM. */
  certificate: string
}

export async function publishRelease(
  folder: string,
  address: string,
  scratch: string,
): Promise<ReleaseServer> {
  const [key, certificate] = [join(scratch, 'release.key'), join(scratch, 'release.pem')]
  await execute('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...[
      '-subj',
      '/CN=releases',
      '-addext',
      `subjectAltName=IP:${address}`,
      '-keyout',
      key,
      '-out',
      certificate,
    ],
  ])
  const pem = readFileSync(certificate, 'utf8')
  const server = createServer({ key: readFileSync(key), cert: pem }, (request, response) => {
    const [, way = '', name = ''] = (request.url ?? '').split('/')
    answer(response, folder, way, name)
  })
  server.listen(0, address)
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('The release server has no port.')
  return {
    url: `https://${address}:${bound.port}`,
    certificate: pem,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function answer(response: ServerResponse, folder: string, way: string, name: string): void {
  if (!/^reeve-linux-[a-z0-9]+(\.sha256)?$/.test(name) || way === 'none') {
    response.writeHead(404).end()
    return
  }
  const bytes = readFileSync(join(folder, name))
  const isChecksum = name.endsWith('.sha256')
  if (way === 'moved') response.writeHead(302, { location: `http://127.0.0.1/${name}` }).end()
  else if (way === 'damaged' && isChecksum)
    response.end(`${'0'.repeat(64)}  ${name.replace('.sha256', '')}\n`)
  else if (way === 'cut' && !isChecksum) {
    response.writeHead(200, { 'content-length': bytes.length })
    response.write(bytes.subarray(0, 1_000_000), () => response.destroy())
  } else response.end(bytes)
}
