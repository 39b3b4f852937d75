import { X } from 'lucide-react'
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { strings } from '../lib/strings.ts'
import { Button } from './button.tsx'

interface DialogProps {
  title: ReactNode
  onClose: () => void
  children: ReactNode
  /** Where it stands: a box in the middle, or along a side. */
  place?: 'center' | 'left' | 'right' | 'top'
  /** No close button and Escape does nothing: something must be decided first. */
  insist?: boolean
  hideTitle?: boolean
}

const places = {
  center: 'card rise w-[calc(100vw-24px)] max-w-[480px] max-h-[calc(100dvh-24px)] shadow-(--shadow)',
  top: 'card rise mt-[10vh] w-[calc(100vw-24px)] max-w-[560px] max-h-[70vh] shadow-(--shadow)',
  left: 'drawer-left m-0 h-dvh max-h-none w-[280px] max-w-[85vw] border-r bg-page',
  right: 'drawer-right m-0 ml-auto h-dvh max-h-none w-[440px] max-w-full border-l bg-page',
}

/** A native modal dialog: the browser keeps focus inside it and gives it back. */
export function Dialog({ title, onClose, children, place = 'center', insist, hideTitle }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  // In the layout phase: close() gives the focus back only while the dialog is still in the document.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // showModal() focuses the first button; the field the dialog is about says that it is.
    dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      className={places[place]}
      // A second Escape would close it without asking.
      closedby={insist ? 'none' : undefined}
      onClose={() => {
        if (insist) element.current?.showModal()
        else onClose()
      }}
      onCancel={(event) => {
        event.preventDefault()
        if (!insist) onClose()
      }}
      // A press on the backdrop lands on the dialog element itself.
      onMouseDown={(event) => {
        if (!insist && event.target === event.currentTarget) onClose()
      }}
    >
      <div
        className={`flex flex-col ${place === 'center' || place === 'top' ? 'max-h-[inherit]' : 'h-full'}`}
      >
        <header className={hideTitle ? 'sr-only' : 'flex items-center gap-2 border-b py-2.5 pr-2.5 pl-5'}>
          <h2 id={titleId} className="min-w-0 flex-1 text-lg font-semibold wrap-anywhere">
            {title}
          </h2>
          {insist || hideTitle ? null : (
            <Button look="quiet" icon aria-label={strings.common.close} onClick={onClose}>
              <X aria-hidden size={17} />
            </Button>
          )}
        </header>
        <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
      </div>
    </dialog>
  )
}
