import { type ButtonHTMLAttributes, type ReactNode, useId } from 'react'

export type ButtonLook = 'primary' | 'secondary' | 'quiet' | 'danger'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: ButtonLook
  /** Why the button does nothing now. It stays focusable, so that the reason can be reached. */
  reason?: string | undefined
  busy?: boolean
  icon?: boolean
  tipSide?: 'center' | 'end'
  children: ReactNode
}

export function Button(props: ButtonProps) {
  const { look = 'secondary', reason, busy, icon, tipSide, className = '', onClick, type, ...rest } = props
  const reasonId = useId()
  const blocked = reason !== undefined || busy === true
  const button = (
    <button
      {...rest}
      type={type ?? 'button'}
      className={`button button-${look} ${icon ? 'button-icon' : ''} ${className}`}
      aria-disabled={blocked || undefined}
      aria-busy={busy || undefined}
      aria-describedby={reason === undefined ? rest['aria-describedby'] : reasonId}
      onClick={(event) => {
        if (blocked) event.preventDefault()
        else onClick?.(event)
      }}
    />
  )
  if (reason === undefined) return button
  return (
    <span className="relative inline-flex">
      {button}
      <span id={reasonId} role="tooltip" className={`tip ${tipSide === 'end' ? 'tip-end' : ''}`}>
        {reason}
      </span>
    </span>
  )
}
