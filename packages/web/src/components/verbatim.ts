import type { HTMLAttributes } from 'react'

/** Of a control for a name, a path or a command: the browser completes, capitalizes and corrects nothing in it. */
export const verbatim = {
  autoComplete: 'off',
  autoCapitalize: 'off',
  spellCheck: false,
} satisfies HTMLAttributes<HTMLElement> & { autoComplete: string }
