// The frame around every page: navigation, what is running, the state of the connection and of the agent.
import { useQueryClient } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { Menu, Search } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { SignInDialog } from '../accounts/sign-in-dialog.tsx'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Toasts } from '../components/toasts.tsx'
import { useMe } from '../lib/access.ts'
import { get } from '../lib/api.ts'
import { openEventStream } from '../lib/event-stream.ts'
import { sessionEnded } from '../lib/session-gate.ts'
import { useStore } from '../lib/store.ts'
import { strings } from '../lib/strings.ts'
import { TaskDrawer } from '../tasks/task-drawer.tsx'
import { TaskPill } from '../tasks/task-pill.tsx'
import { AgentBanner } from './agent-banner.tsx'
import { Breadcrumb } from './breadcrumb.tsx'
import { ConnectionChip } from './connection-chip.tsx'
import { Navigation } from './navigation.tsx'
import { useDocumentState } from './document-state.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

type Overlay = 'none' | 'navigation' | 'palette' | 'tasks'

function useLiveUpdates(): void {
  const client = useQueryClient()
  useEffect(() => {
    const controller = new AbortController()
    // An ordinary call finds out whether the session has ended, and asks to sign in again if so.
    openEventStream(client, controller.signal, () => void get('/api/me').catch(() => {}))
    return () => controller.abort()
  }, [client])
}

function usePaletteKey(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      open()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [open])
}

export function Shell() {
  const [overlay, setOverlay] = useState<Overlay>('none')
  const close = useCallback(() => setOverlay('none'), [])
  const openPalette = useCallback(() => setOverlay('palette'), [])
  const openTasks = useCallback(() => setOverlay('tasks'), [])
  const ended = useStore(sessionEnded)
  useLiveUpdates()
  usePaletteKey(openPalette)
  useDocumentState()

  return (
    <div className="flex min-h-dvh">
      <a
        href="#content"
        className="button button-primary fixed top-2 left-2 z-50 -translate-y-16 focus:translate-y-0"
      >
        {strings.common.skipToContent}
      </a>
      <aside className="sticky top-0 hidden h-dvh w-[220px] flex-none border-r md:block">
        <Navigation onNavigate={close} onTasks={openTasks} />
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="sticky top-0 z-20">
          <TopBar onNavigation={() => setOverlay('navigation')} onPalette={openPalette} />
          <AgentBanner />
        </div>
        <main id="content" tabIndex={-1} className="flex-1 outline-none">
          <Outlet />
        </main>
      </div>
      <div className="fixed bottom-3 left-3 z-10 w-48 empty:hidden md:hidden">
        <TaskPill onOpen={openTasks} />
      </div>
      {overlay === 'navigation' ? (
        <Dialog title={strings.shell.navigation} place="left" hideTitle onClose={close}>
          <Navigation onNavigate={close} onTasks={openTasks} />
        </Dialog>
      ) : null}
      {overlay === 'tasks' ? <TaskDrawer onClose={close} /> : null}
      {overlay === 'palette' ? (
        <Suspense fallback={null}>
          <Palette onClose={close} />
        </Suspense>
      ) : null}
      {ended ? <SignInDialog /> : null}
      <Toasts />
    </div>
  )
}

function TopBar({ onNavigation, onPalette }: { onNavigation: () => void; onPalette: () => void }) {
  const me = useMe()
  return (
    <header className="flex min-h-12 items-center gap-2 border-b bg-page px-3 sm:px-8">
      <span className="md:hidden">
        <Button look="quiet" icon aria-label={strings.shell.openNavigation} onClick={onNavigation}>
          <Menu aria-hidden size={18} />
        </Button>
      </span>
      <Breadcrumb />
      {me.role === 'readonly' ? (
        <span className="hidden rounded-full border px-2.5 py-0.5 text-xs text-muted sm:block">
          {strings.common.readOnly}
        </span>
      ) : null}
      <ConnectionChip />
      <Button
        look="secondary"
        className="max-sm:w-11 max-sm:border-transparent max-sm:bg-transparent max-sm:px-0 max-sm:shadow-none font-normal text-muted"
        onClick={onPalette}
      >
        <Search aria-hidden size={15} />
        <span className="max-sm:sr-only">{strings.shell.search}</span>
        <kbd aria-hidden className="kbd hidden sm:inline">
          {/mac/i.test(navigator.platform) ? '⌘ K' : 'Ctrl K'}
        </kbd>
      </Button>
    </header>
  )
}
