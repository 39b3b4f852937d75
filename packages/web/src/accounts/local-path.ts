/** Where to go after signing in: a path of this panel, whatever the address bar said. */
export function localPath(next: string | undefined): string {
  if (next === undefined) return '/'
  const base = 'https://panel.invalid'
  try {
    const url = new URL(next, base)
    return url.origin === base && !url.pathname.startsWith('//') ? url.pathname + url.search : '/'
  } catch {
    return '/'
  }
}
