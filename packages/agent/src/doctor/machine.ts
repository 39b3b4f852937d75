// The machine below: room, memory, time.
import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { totalmem } from 'node:os'
import { run } from '../command.ts'
import type { Paths } from '../paths.ts'
import { type Check, failed, type Finding, note, ok } from './check.ts'
import type { Patient } from './patient.ts'

const megabyte = 1024 * 1024

export function machineChecks({ paths }: Patient): Check[] {
  return [
    {
      name: 'disk',
      why: 'On a full disk databases stop, uploads fail and no certificate can be renewed.',
      examine: () => fileSystemsOf(paths).flatMap(roomOn),
    },
    { name: 'memory', why: 'Without memory the kernel ends programs, often the database.', examine: memory },
    { name: 'swap', why: 'A short peak then costs time and not a program.', examine: swap },
    {
      name: 'clock',
      why: 'With a wrong clock certificates and two-factor codes are refused.',
      examine: clock,
    },
    {
      name: 'restart',
      why: 'Security updates of the kernel and of libraries wait for it.',
      examine: pendingReboot,
    },
  ]
}

/** One path for each file system that holds something of ours. */
function fileSystemsOf(paths: Paths): string[] {
  const seen = new Set<number>()
  return ['/', paths.sites, paths.apiState, paths.mariadbData, paths.logs].flatMap((path) => {
    const device = statSync(path, { throwIfNoEntry: false })?.dev
    if (device === undefined || seen.has(device)) return []
    seen.add(device)
    return [path]
  })
}

function roomOn(path: string): Finding[] {
  const { bavail, bsize, blocks, files, ffree } = statfsSync(path)
  const freeMb = Math.round((bavail * bsize) / megabyte)
  const share = blocks === 0 ? 1 : bavail / blocks
  const inodeShare = files === 0 ? 1 : ffree / files
  return [
    room(
      share,
      freeMb < 500,
      `${freeMb} MB free on ${path}`,
      'du -xh --max-depth=3 / | sort -h | tail -n 20',
    ),
    room(
      inodeShare,
      false,
      `${Math.round(inodeShare * 100)} % of the files that ${path} can hold are free`,
      'du -x --inodes --max-depth=3 / | sort -n | tail -n 20',
    ),
  ]
}

function room(share: number, isShort: boolean, what: string, fix: string): Finding {
  if (share < 0.03 || isShort) return failed(`only ${what}`, fix)
  return share < 0.1 ? note(`only ${what}`, fix) : ok(what)
}

function meminfo(name: string): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/meminfo', 'utf8'))
  return Math.round(Number(line?.[1] ?? 0) / 1024)
}

function memory(): Finding {
  const available = meminfo('MemAvailable')
  const what = `${available} MB of ${meminfo('MemTotal')} MB of memory are available`
  const fix = 'ps --sort=-rss -eo rss,user,args | head -n 15'
  if (available < 50) return failed(`only ${what}`, fix)
  return available < 150 ? note(`only ${what}`, fix) : ok(what)
}

function swap(): Finding {
  const total = meminfo('SwapTotal')
  if (total > 0) return ok(`${total} MB of swap`)
  if (totalmem() >= 4096 * megabyte) return ok('no swap, and memory enough to do without')
  const fix =
    'fallocate -l 1G /swapfile && chmod 600 /swapfile && mkswap /swapfile && swapon /swapfile && echo "/swapfile none swap sw 0 0" >>/etc/fstab'
  return note('there is no swap', fix)
}

/** The release is older than any right clock. */
const earliest = Date.UTC(2026, 0, 1)

async function clock(): Promise<Finding> {
  if (Date.now() < earliest) {
    return failed(`the clock says ${new Date().toISOString()}`, 'timedatectl set-ntp true')
  }
  if (!existsSync('/run/systemd/system')) return ok(`the clock says ${new Date().toISOString()}`)
  const { stdout } = await run('timedatectl', ['show', '--property=NTPSynchronized', '--value'], {
    timeoutMs: 30_000,
    accept: [0, 1],
  })
  if (stdout.trim() === 'yes') return ok('the clock is synchronised')
  return note(
    'the clock is not synchronised',
    'apt-get install systemd-timesyncd && timedatectl set-ntp true',
  )
}

function pendingReboot(): Finding {
  if (!existsSync('/run/reboot-required')) return ok('no restart of the server is pending')
  return note('an update wants the server to be restarted', 'systemctl reboot')
}
