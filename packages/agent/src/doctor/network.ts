// What can be reached from outside, and what must not be.
import { existsSync, readFileSync } from 'node:fs'
import { run } from '../command.ts'
import { type Check, failed, type Finding, note, ok } from './check.ts'
import type { Patient } from './patient.ts'

export function networkChecks(patient: Patient): Check[] {
  const checks: Check[] = [
    {
      name: 'ports',
      why: 'Visitors come in by them, and the port of the panel is for this machine alone.',
      examine: () => ports(patient),
    },
  ]
  if (!patient.isInstalled) return checks
  return [
    ...checks,
    {
      name: "the panel's port",
      why: 'Code of a site must not be able to talk to the panel as the web server does.',
      examine: panelPortRule,
    },
    {
      name: 'firewall',
      why: 'Visitors, and the authority that issues certificates, come from outside.',
      examine: firewall,
    },
  ]
}

interface Listener {
  port: number
  isLocal: boolean
}

/** Listening TCP sockets from the kernel's tables: state 0A, address and port in hexadecimal (proc(5)). */
function listeners(): Listener[] {
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .filter((path) => existsSync(path))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === '0A')
    .map(([, local = '']) => {
      const [address = '', port = ''] = local.split(':')
      // 127.0.0.0/8 in the order of the machine, or ::1.
      return { port: Number.parseInt(port, 16), isLocal: /^(.{6}7F|0{24}01000000)$/i.test(address) }
    })
}

function ports({ httpPort, httpsPort, panelPort }: Patient): Finding[] {
  const open = listeners()
  const findings = [httpPort, httpsPort].map((port) =>
    open.some((listener) => listener.port === port && !listener.isLocal)
      ? ok(`port ${port} is open to visitors`)
      : failed(
          `nothing listens on port ${port} for visitors`,
          'systemctl restart nginx; journalctl -u nginx -n 50',
        ),
  )
  const isPublic = open.some((listener) => listener.port === panelPort && !listener.isLocal)
  if (!isPublic) return [...findings, ok(`port ${panelPort} of the panel is for this machine alone`)]
  const fix = 'Remove REEVE_HOST from /etc/reeve/reeve.env, then: systemctl restart reeve-api'
  return [...findings, failed(`port ${panelPort} of the panel is open to the network`, fix)]
}

async function panelPortRule(): Promise<Finding> {
  const { code } = await run('nft', ['list', 'table', 'inet', 'reeve'], { timeoutMs: 10_000, accept: [0, 1] })
  if (code === 0) return ok("users of sites are kept from the panel's port")
  return failed(
    "nothing keeps users of sites from the panel's port",
    'nft -f /usr/lib/reeve/system/panel-port.nft',
  )
}

/** How an administrator comes in is not for the doctor to say. */
const wanted = ['80/tcp', '443/tcp', '443/udp'] as const

async function firewall(): Promise<Finding> {
  if (existsSync('/usr/sbin/ufw')) {
    const { stdout } = await run('ufw', ['status'], { timeoutMs: 30_000 })
    if (/^Status: active/m.test(stdout)) return ufwRules(stdout)
  }
  const { stdout } = await run('nft', ['list', 'ruleset'], { timeoutMs: 10_000 })
  if (!/hook input .*policy drop/.test(stdout)) return ok('no firewall of this server is in the way')
  return note(
    'a firewall drops incoming traffic; it must let in 80 and 443 tcp and 443 udp',
    'nft list ruleset',
  )
}

function ufwRules(status: string): Finding {
  const missing = wanted.filter((rule) => !new RegExp(`^${rule}\\s+ALLOW`, 'm').test(status))
  if (missing.length === 0) return ok('the firewall lets visitors in')
  return failed(
    `the firewall does not let in ${missing.join(', ')}`,
    missing.map((rule) => `ufw allow ${rule}`).join('; '),
  )
}
