import type { Site } from '@reeve/contract/sites.ts'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { strings } from '../lib/strings.ts'
import { tabsOf } from './tabs.ts'

/** The parts of a site's page as links. On a phone the row scrolls sideways and fades where more follows. */
export function SiteTabs({ site }: { site: Site }) {
  const list = useRef<HTMLUListElement>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    const row = list.current
    const chosen = row?.querySelector<HTMLElement>('[aria-current="page"]')
    if (row && chosen) row.scrollLeft = chosen.offsetLeft - (row.clientWidth - chosen.offsetWidth) / 2
  }, [pathname])
  return (
    <nav aria-label={strings.siteTabs.label} className="-mx-4 mb-6 border-b sm:-mx-8">
      <ul ref={list} className="tabs relative flex gap-1 overflow-x-auto pr-7 pl-2 sm:pl-6">
        {tabsOf(site.type).map((tab) => (
          <li key={tab.name} className="flex-none">
            <Link
              to={tab.to}
              params={{ id: site.id }}
              activeOptions={{ exact: true }}
              className="pointer-coarse:min-h-11 flex min-h-9 items-center border-b-2 px-2 text-sm font-medium -outline-offset-2"
              activeProps={{ className: 'border-accent' }}
              inactiveProps={{ className: 'border-transparent text-muted hover:text-ink' }}
            >
              {strings.siteTabs[tab.name]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
