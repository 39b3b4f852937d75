// A bridge for the servers of one run, with a way out to the Debian mirror, and nothing of it left at the end.
import { execute } from './execute.ts'

export interface Network extends AsyncDisposable {
  bridge: string
  gateway: string
  addressOf(server: number): string
}

export async function openNetwork(): Promise<Network> {
  const taken = await execute('ip', ['-4', 'address', 'show'])
  const free = Array.from({ length: 250 }, (_, number) => number).filter(
    (number) => !taken.includes(` 10.78.${number}.`),
  )
  // By chance: two runs that start together do not take the same one.
  const number = free[Math.floor(Math.random() * free.length)]
  if (number === undefined) throw new Error('All networks of the form 10.78.*.0/24 are taken on this host.')
  const bridge = `reeve${number}`
  const network = `10.78.${number}`
  const forwarding = (await execute('sysctl', ['--values', 'net.ipv4.ip_forward'])).trim()
  await execute('ip', ['link', 'add', bridge, 'type', 'bridge'])
  await execute('ip', ['address', 'add', `${network}.1/24`, 'dev', bridge])
  await execute('ip', ['link', 'set', bridge, 'mtu', await mtuOfUplink(), 'up'])
  await execute('sysctl', ['--write', 'net.ipv4.ip_forward=1'])
  await execute('nft', ['-f', '-'], { input: masquerade(bridge, network) })
  return {
    bridge,
    gateway: `${network}.1`,
    addressOf: (server) => `${network}.${10 + server}`,
    async [Symbol.asyncDispose]() {
      await execute('nft', ['delete', 'table', 'ip', bridge])
      await execute('ip', ['link', 'delete', bridge])
      const isLast = !/\breeve\d+:/.test(await execute('ip', ['link', 'show', 'type', 'bridge']))
      if (isLast) await execute('sysctl', ['--write', `net.ipv4.ip_forward=${forwarding}`])
    },
  }
}

/** Larger packets than the way out takes would be lost without a word. */
async function mtuOfUplink(): Promise<string> {
  const route = await execute('ip', ['-4', 'route', 'show', 'default'])
  const uplink = / dev (\S+)/.exec(route)?.[1]
  if (!uplink) throw new Error('This host has no default route, so its servers cannot reach a Debian mirror.')
  return /mtu (\d+)/.exec(await execute('ip', ['link', 'show', uplink]))?.[1] ?? '1500'
}

const masquerade = (table: string, network: string) => `table ip ${table} {
  chain out {
    type nat hook postrouting priority srcnat;
    ip saddr ${network}.0/24 ip daddr != ${network}.0/24 masquerade
  }
}
`
