import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { ApiCall } from '../lib/api.ts'
import { strings } from '../lib/strings.ts'
import { Button, type ButtonLook } from './button.tsx'
import { CallButton } from './copy.tsx'

interface InlineConfirmProps {
  /** The button that asks. */
  label: ReactNode
  ariaLabel?: string
  look?: ButtonLook
  /** What doing it means. */
  text: string
  /** The button that does it. */
  yes: string
  reason?: string | undefined
  busy?: boolean
  tipSide?: 'center' | 'end'
  /** Shown beside the button as the call it makes. */
  call?: () => ApiCall
  onConfirm: () => void
}

/** Asks in place before it does what is felt but can be lived with. */
export function InlineConfirm(props: InlineConfirmProps) {
  const { label, ariaLabel, look = 'secondary', text, yes, reason, busy, tipSide, call, onConfirm } = props
  const [asking, setAsking] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const wasAsking = useRef(false)
  useEffect(() => {
    // The focus stays where the question is, and goes back to what asked it.
    if (asking || wasAsking.current) box.current?.querySelector('button')?.focus()
    wasAsking.current = asking
  }, [asking])
  if (!asking) {
    return (
      <div ref={box} className="inline-flex items-center gap-2">
        <Button
          look={look}
          aria-label={ariaLabel}
          reason={reason}
          busy={busy ?? false}
          {...(tipSide ? { tipSide } : {})}
          onClick={() => setAsking(true)}
        >
          {label}
        </Button>
        {call ? <CallButton call={call} /> : null}
      </div>
    )
  }
  return (
    <div
      ref={box}
      role="group"
      aria-label={text}
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border bg-sunken px-3.5 py-2.5"
      onKeyDown={(event) => {
        if (event.key === 'Escape') setAsking(false)
      }}
    >
      <p className="min-w-0 flex-1 basis-48 text-sm">{text}</p>
      <div className="flex gap-2">
        <Button onClick={() => setAsking(false)}>{strings.common.cancel}</Button>
        <Button
          look="danger"
          onClick={() => {
            setAsking(false)
            onConfirm()
          }}
        >
          {yes}
        </Button>
      </div>
    </div>
  )
}
