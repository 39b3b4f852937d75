// A timer of systemd and the unit it starts, which asks the agent over its socket.
import { integerValue, wordValue } from '../render-values.ts'
import { firstRunSeconds } from './clock.ts'
import type { Timer } from './timers.ts'

export type RenderedTimer = Pick<Timer, 'name' | 'description' | 'everySeconds' | 'randomDelaySeconds'>

const aDay = 24 * 60 * 60

export function renderTimer(timer: RenderedTimer): string {
  const every = integerValue('interval', timer.everySeconds, 1, 31 * aDay)
  const delay = integerValue('random delay', timer.randomDelaySeconds, 0, aDay)
  return `[Unit]
Description=${description(timer)}
# It comes and goes with the agent, which does the work.
PartOf=reeve-agent.service

[Timer]
OnActiveSec=${Math.min(every, firstRunSeconds)}s
OnUnitActiveSec=${every}s
RandomizedDelaySec=${delay}s
Unit=reeve-${nameOf(timer)}.service

[Install]
WantedBy=reeve-agent.service
`
}

export function renderTimerService(timer: RenderedTimer): string {
  return `[Unit]
Description=${description(timer)}

[Service]
Type=oneshot
User=reeve
Group=reeve
ExecStart=/usr/lib/reeve/reeve timer ${nameOf(timer)}
EnvironmentFile=/etc/reeve/reeve.env
Environment=MALLOC_ARENA_MAX=1 UV_THREADPOOL_SIZE=1
UMask=0077
LimitCORE=0
CapabilityBoundingSet=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateNetwork=yes
RestrictAddressFamilies=AF_UNIX
SystemCallArchitectures=native
`
}

const nameOf = ({ name }: RenderedTimer): string => wordValue('timer name', name, /^[a-z-]{1,30}$/)

function description({ name, description: text }: RenderedTimer): string {
  if (/^[A-Za-z0-9 ,.'-]{1,100}$/.test(text)) return `Reeve: ${text}`
  throw new Error(`The description of the timer ${name} holds what a unit file cannot hold.`)
}
