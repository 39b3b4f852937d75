// A certificate authority on a machine of its own: Pebble and its name server, on a throw-away server beside the one
// that wants certificates.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDisk } from '../lab/root.ts'
import { bootServer, type Server } from '../lab/server.ts'
import type { ServerPlan } from './installed.ts'
import { makeTls } from './pebble.ts'

export interface DistantAuthority extends AsyncDisposable {
  address: string
  /** Certificate that its certificates are signed with in the end, in PEM. */
  root: string
  /** Valid or Revoked, by a serial number in hexadecimal. */
  statusOf(serial: string): Promise<string>
  /** What Pebble printed. */
  output(): Promise<string>
}

const ports = { acme: 14000, management: 15000, dns: 8053, control: 8055 } as const
const programs = ['pebble', 'pebble-challtestsrv'] as const

/** Another machine from the disk of a server that did not boot yet. Boots when asked to. */
export async function prepareNeighbour(
  disk: string,
  { network, number }: ServerPlan,
): Promise<() => Promise<Server>> {
  const { bridge, gateway } = network
  const address = network.addressOf(100 + number)
  const copy = `${disk}.neighbour`
  const server = { name: 'server', address: network.addressOf(number), gateway }
  await copyDisk(disk, copy, server, { name: 'neighbour', address, gateway })
  return () => bootServer({ disk: copy, name: `${bridge}-neighbour`, address, bridge })
}

/** Makes `machine` the authority of the panel on `server`. For it every name leads to that server. */
export async function startDistantAuthority(machine: Server, server: Server): Promise<DistantAuthority> {
  const { address } = machine
  const folder = mkdtempSync(join(tmpdir(), 'reeve-authority-'))
  const files = makeTls(folder, address)
  const ca = readFileSync(files.certificate, 'utf8')
  const inside = (path: string) => join(machine.root, path)
  for (const name of programs) cpSync(`/usr/bin/${name}`, inside(`usr/local/bin/${name}`))
  cpSync(folder, inside('root/authority'), { recursive: true })
  rmSync(folder, { recursive: true })
  writeFileSync(inside('root/authority/pebble.json'), JSON.stringify({ pebble: settings(address) }))
  await machine.run(`
    systemd-run --quiet --unit=names pebble-challtestsrv -dns01 ${address}:${ports.dns} -management ${address}:${ports.control} \\
      -defaultIPv4 ${server.address} -defaultIPv6 '' -http01 '' -https01 '' -tlsalpn01 ''
    systemd-run --quiet --unit=pebble --setenv=PEBBLE_VA_NOSLEEP=1 \\
      pebble -config /root/authority/pebble.json -dnsserver ${address}:${ports.dns}
    ${untilOpen(address)}`)
  await trust(server, address, ca)
  const ask = (path: string) => getText(`https://${address}:${ports.management}/${path}`, ca)
  return {
    address,
    root: await ask('roots/0'),
    output: () => machine.run('journalctl --unit=pebble --no-pager --output=cat'),
    async statusOf(serial) {
      const status = JSON.parse(await ask(`cert-status-by-serial/${serial.toLowerCase()}`)) as {
        Status: string
      }
      return status.Status
    },
    async [Symbol.asyncDispose]() {
      await server.run(`sed -i '/^REEVE_ACME_/d; /^REEVE_DNS_SERVER=/d' /etc/reeve/reeve.env
        rm /etc/reeve/authority.pem; ${restart}`)
    },
  }
}

const settings = (address: string) => ({
  listenAddress: `${address}:${ports.acme}`,
  managementListenAddress: `${address}:${ports.management}`,
  certificate: '/root/authority/authority.pem',
  privateKey: '/root/authority/authority-key.pem',
  httpPort: 80,
  tlsPort: 443,
  ocspResponderURL: '',
  externalAccountBindingRequired: false,
})

const untilOpen = (address: string) => `for port in ${Object.values(ports).join(' ')}; do
  for (( attempt = 0; ; attempt++ )); do
    (: <>/dev/tcp/${address}/$port) 2>/dev/null && break
    [ $attempt -lt 300 ] || { systemctl status names pebble >&2; exit 1; }
    sleep 0.1
  done
done`

const restart = 'systemctl restart reeve-agent reeve-api'

/** As an administrator whose certificates come from elsewhere would. */
async function trust(server: Server, address: string, ca: string): Promise<void> {
  writeFileSync(join(server.root, 'etc/reeve/authority.pem'), ca)
  await server.run(`cat >>/etc/reeve/reeve.env <<'END'
REEVE_ACME_DIRECTORY=https://${address}:${ports.acme}/dir
REEVE_ACME_CA=/etc/reeve/authority.pem
REEVE_DNS_SERVER=${address}:${ports.dns}
END
${restart}`)
}

function getText(url: string, ca: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const call = get(url, { ca, agent: false, timeout: 20_000 }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    response.on('error', reject)
    response.on('end', () => resolve(text))
  })
  call.on('timeout', () => call.destroy(new Error(`${url} did not answer`)))
  call.on('error', reject)
  return promise
}
