import { createStore } from './store.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const storageKey = 'reeve-theme'

function stored(): Theme {
  const value = document.documentElement.dataset['theme']
  return value === 'light' || value === 'dark' ? value : 'system'
}

export const theme = createStore<Theme>(stored())

export function setTheme(next: Theme): void {
  theme.set(next)
  if (next === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = next
  try {
    localStorage.setItem(storageKey, next)
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}
