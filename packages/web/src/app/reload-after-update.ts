const storageKey = 'reeve-reloaded-at'
const againAfterMs = 60_000

/**
 * A page from before an update asks for chunks that no longer exist: it is loaded again, once. A second failure
 * within a minute has another cause and is shown like any error.
 */
export function reloadAfterUpdate(): void {
  window.addEventListener('vite:preloadError', (event) => {
    try {
      const last = Number(sessionStorage.getItem(storageKey) ?? 0)
      if (Date.now() - last < againAfterMs) return
      sessionStorage.setItem(storageKey, String(Date.now()))
    } catch {
      // Without storage a reload could repeat for ever.
      return
    }
    event.preventDefault()
    location.reload()
  })
}
