// Calls that meet an ended session wait here until the person has signed in again over the page.
import { createStore } from './store.ts'

export const sessionEnded = createStore(false)

let waiting: (() => void)[] = []

export function signInAgain(): Promise<void> {
  sessionEnded.set(true)
  return new Promise((resolve) => waiting.push(resolve))
}

/** Lets every waiting call go on. */
export function signedInAgain(): void {
  const released = waiting
  waiting = []
  sessionEnded.set(false)
  for (const resolve of released) resolve()
}
