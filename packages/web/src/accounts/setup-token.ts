/** The token of a link like `/setup#token=…`; a fragment is never sent to a server or written to its log. */
export function tokenFromFragment(fragment: string): string {
  return new URLSearchParams(fragment.replace(/^#/, '')).get('token') ?? ''
}
