import { type ReactNode, useEffect, useId } from 'react'
import { strings } from '../lib/strings.ts'

/** What a control inside a field needs so that label, hint and error are read with it. */
export interface ControlProps {
  id: string
  name: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

interface FieldProps {
  name: string
  label: string
  hint?: ReactNode
  error?: string | undefined
  optional?: boolean
  children: (control: ControlProps) => ReactNode
}

export function Field({ name, label, hint, error, optional, children }: FieldProps) {
  const id = useId()
  useEffect(() => {
    // The button that was pressed may be a screen away from the field that is refused.
    if (error) document.getElementById(id)?.focus()
  }, [error, id])
  const described = [error ? `${id}-error` : '', hint ? `${id}-hint` : ''].filter(Boolean).join(' ')
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
        {optional ? <span className="font-normal text-muted"> · {strings.common.optional}</span> : null}
      </label>
      {children({
        id,
        name,
        'aria-describedby': described || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {error ? (
        <p id={`${id}-error`} className="mt-1 text-sm text-failed">
          {error}
        </p>
      ) : null}
      {hint ? (
        <div id={`${id}-hint`} className="mt-1 text-xs text-muted">
          {hint}
        </div>
      ) : null}
    </div>
  )
}
