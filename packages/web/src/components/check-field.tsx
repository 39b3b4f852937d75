import { type ReactNode, useId } from 'react'

interface CheckFieldProps {
  name: string
  label: string
  hint?: ReactNode
  error?: string | undefined
  checked: boolean
  onChange: (checked: boolean) => void
}

/** A tick box with its label and what ticking it means. */
export function CheckField({ name, label, hint, error, checked, onChange }: CheckFieldProps) {
  const id = useId()
  const described = [error ? `${id}-error` : '', hint ? `${id}-hint` : ''].filter(Boolean).join(' ')
  return (
    <div className="flex items-start gap-2.5">
      <input
        id={id}
        name={name}
        type="checkbox"
        className="tick pointer-coarse:mt-3.5 mt-0.5"
        aria-describedby={described || undefined}
        aria-invalid={error ? true : undefined}
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div className="min-w-0">
        <label
          htmlFor={id}
          className="pointer-coarse:flex pointer-coarse:min-h-11 pointer-coarse:items-center font-medium"
        >
          {label}
        </label>
        {hint ? (
          <div id={`${id}-hint`} className="text-xs text-muted">
            {hint}
          </div>
        ) : null}
        {error ? (
          <p id={`${id}-error`} className="mt-1 text-sm text-failed">
            {error}
          </p>
        ) : null}
      </div>
    </div>
  )
}
