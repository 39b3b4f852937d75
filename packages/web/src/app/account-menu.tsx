import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown, LogOut } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { ErrorNotice } from '../components/notice.tsx'
import { useMe } from '../lib/access.ts'
import { call } from '../lib/api.ts'
import { useStore } from '../lib/store.ts'
import { strings } from '../lib/strings.ts'
import { setTheme, theme, themes } from '../lib/theme.ts'

const menuId = 'account-menu'

export function AccountMenu({ onNavigate }: { onNavigate: () => void }) {
  const me = useMe()
  return (
    <div className="relative border-t p-2">
      <button
        type="button"
        popoverTarget={menuId}
        className="pointer-coarse:min-h-11 flex min-h-10 w-full items-center gap-2.5 rounded-md px-2.5 py-1 text-left hover:bg-hover"
      >
        <span className="min-w-0 flex-1 leading-tight">
          <span className="sr-only">{strings.shell.accountMenu}: </span>
          <span className="block truncate text-sm font-medium">{me.email}</span>
          <span className="block text-xs text-muted">{strings.shell.roles[me.role]}</span>
        </span>
        <ChevronsUpDown aria-hidden size={14} className="flex-none text-muted" />
      </button>
      <div
        id={menuId}
        popover="auto"
        className="card rise fixed inset-auto bottom-14 left-2 m-0 w-[236px] p-2 text-ink shadow-(--shadow)"
      >
        <ThemeChoice />
        <div className="mt-2 border-t pt-2">
          <SignOut onNavigate={onNavigate} />
        </div>
      </div>
    </div>
  )
}

function ThemeChoice() {
  const current = useStore(theme)
  return (
    <fieldset>
      <legend className="px-2 pb-1 text-xs text-muted">{strings.shell.theme}</legend>
      <div className="grid grid-cols-3 gap-1 rounded-md bg-sunken p-1">
        {themes.map((name) => (
          <label
            key={name}
            className="pointer-coarse:min-h-11 flex min-h-7 items-center justify-center rounded-sm text-sm text-muted has-checked:bg-surface has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="theme"
              value={name}
              checked={current === name}
              onChange={() => setTheme(name)}
              className="sr-only"
            />
            {strings.shell.themes[name]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function SignOut({ onNavigate }: { onNavigate: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const signOut = useMutation({
    mutationFn: () => call({ method: 'POST', path: '/api/logout', body: {} }, { anonymous: true }),
    onSuccess: async () => {
      onNavigate()
      await navigate({ to: '/login', search: {} })
      // The next person at this browser must not see the last one's pages for a moment.
      client.clear()
    },
  })
  return (
    <>
      <Button
        look="quiet"
        className="w-full !justify-start !px-2"
        busy={signOut.isPending}
        onClick={() => signOut.mutate()}
      >
        <LogOut aria-hidden size={15} />
        {strings.shell.signOut}
      </Button>
      {signOut.error ? <ErrorNotice error={signOut.error} /> : null}
    </>
  )
}
