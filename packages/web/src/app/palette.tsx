import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { useManageReason, useMe } from '../lib/access.ts'
import { sitesQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { setTheme } from '../lib/theme.ts'
import { tabsOf } from '../sites/tabs.ts'
import { pagesFor } from './pages.ts'
import { type PaletteEntry, rankEntries } from './palette-search.ts'

function useEntries(): PaletteEntry[] {
  const me = useMe()
  const navigate = useNavigate()
  const reason = useManageReason()
  const { data: sites = [] } = useQuery(sitesQuery)
  const { pathname } = useLocation()
  const here = sites.find((site) => pathname.startsWith(`/sites/${site.id}`))
  const { shell, palette } = strings
  return [
    ...(reason === undefined
      ? [
          {
            id: 'new-site',
            label: shell.newSite,
            group: palette.actions,
            run: () => navigate({ to: '/sites/new', search: {} }),
          },
        ]
      : []),
    ...pagesFor(me.role).map((page) => ({
      id: page.to,
      label: page.label,
      group: palette.navigate,
      run: () => navigate({ to: page.to }),
    })),
    ...(here === undefined
      ? []
      : tabsOf(here.type).map((tab) => ({
          id: tab.to,
          label: strings.siteTabs.entry(strings.siteTabs[tab.name], here.domain),
          group: palette.navigate,
          run: () => navigate({ to: tab.to, params: { id: here.id } }),
        }))),
    ...sites.map((site) => ({
      id: site.id,
      label: site.domain,
      group: palette.sites,
      run: () => navigate({ to: '/sites/$id', params: { id: site.id } }),
    })),
    ...(['light', 'dark', 'system'] as const).map((name) => ({
      id: `theme-${name}`,
      label: `${shell.theme}: ${shell.themes[name]}`,
      group: palette.actions,
      run: () => setTheme(name),
    })),
  ]
}

/** Go anywhere or start something by its name: a combobox over a list, in a native dialog. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [words, setWords] = useState('')
  const [active, setActive] = useState(0)
  const listId = useId()
  const entries = rankEntries(useEntries(), words)
  const current = entries[Math.min(active, entries.length - 1)]

  const choose = (entry: PaletteEntry | undefined) => {
    if (!entry) return
    onClose()
    void entry.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && entries.length > 0) {
      event.preventDefault()
      setActive((Math.min(active, entries.length - 1) + step + entries.length) % entries.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      choose(current)
    }
  }
  return (
    <Dialog title={strings.palette.title} place="top" hideTitle onClose={onClose}>
      <input
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={current ? `${listId}-${current.id}` : undefined}
        aria-label={strings.palette.title}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        placeholder={strings.palette.placeholder}
        className="w-full border-b bg-transparent px-5 py-3.5 text-lg outline-none placeholder:text-muted"
        value={words}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setWords(event.target.value)
          setActive(0)
        }}
      />
      <ul id={listId} role="listbox" aria-label={strings.palette.title} className="p-2">
        {entries.map((entry) => (
          <PaletteOption
            key={entry.id}
            id={`${listId}-${entry.id}`}
            entry={entry}
            selected={entry === current}
            onChoose={() => choose(entry)}
          />
        ))}
      </ul>
      {entries.length === 0 ? <p className="px-5 pb-6 text-muted">{strings.palette.empty(words)}</p> : null}
      <p className="sticky bottom-0 border-t bg-surface px-5 py-2 text-xs text-muted max-sm:hidden">
        {strings.palette.hint}
      </p>
    </Dialog>
  )
}

interface PaletteOptionProps {
  id: string
  entry: PaletteEntry
  selected: boolean
  onChoose: () => void
}

function PaletteOption({ id, entry, selected, onChoose }: PaletteOptionProps) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={selected}
      ref={(element) => {
        if (selected) element?.scrollIntoView({ block: 'nearest' })
      }}
      className={`pointer-coarse:min-h-11 flex min-h-9 cursor-pointer items-center justify-between gap-4 rounded-md px-3 ${selected ? 'bg-accent-soft' : 'hover:bg-hover'}`}
      onClick={onChoose}
      // The keyboard stays in the field above; its keys move the selection.
      onKeyDown={() => {}}
    >
      <span className="min-w-0 truncate">{entry.label}</span>
      <span className="flex-none text-xs text-muted">{entry.group}</span>
    </li>
  )
}
