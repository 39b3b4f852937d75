import { useQuery } from '@tanstack/react-query'
import { useMatches } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { bootstrapQuery, tasksQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { isUnderWay } from '../tasks/running.ts'
import { useCrumbs } from './breadcrumb.tsx'

/** Title and icon of the tab: which page, which server, and whether something is running. */
export function useDocumentState(): void {
  const crumbs = useCrumbs()
  const { data: bootstrap } = useQuery(bootstrapQuery)
  const { data: tasks = [] } = useQuery(tasksQuery)
  const matches = useMatches()
  const running = tasks.filter(isUnderWay).length
  // A part of a site is nothing without the site's name.
  const page =
    crumbs
      .slice(1)
      .reverse()
      .map(({ label }) => label)
      .join(' · ') ||
    (crumbs[0]?.label ?? strings.product)
  const host = bootstrap?.hostname ?? strings.product

  useEffect(() => {
    document.title = `${running > 0 ? `(${running}) ` : ''}${page} · ${host}`
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon) icon.href = running > 0 ? '/favicon-busy.svg' : '/favicon.svg'
  }, [running, page, host])

  const path = matches.at(-1)?.pathname
  const shownPath = useRef(path)
  useEffect(() => {
    // The first page starts where the browser starts: at the skip link.
    if (path === undefined || path === shownPath.current) return
    shownPath.current = path
    // A screen reader would otherwise stay on the link of the page that is gone.
    if (document.activeElement === document.body)
      document.getElementById('content')?.focus({ preventScroll: true })
  }, [path])
}
