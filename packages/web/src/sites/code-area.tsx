import { type TextareaHTMLAttributes, useEffect, useRef } from 'react'
import { verbatim } from '../components/verbatim.ts'

interface CodeAreaProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'value' | 'onChange'> {
  value: string
  onChange: (value: string) => void
  /** The line that was refused, counted from 1. */
  errorLine: number | undefined
}

/** Lines as a program counts them, with their numbers beside them. */
export function CodeArea({ value, onChange, errorLine, ...control }: CodeAreaProps) {
  const numbers = useRef<HTMLDivElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const lines = value.split('\n')

  useEffect(() => {
    const element = area.current
    if (!element || errorLine === undefined) return
    const before = element.value
      .split('\n')
      .slice(0, errorLine - 1)
      .join('\n').length
    const start = errorLine === 1 ? 0 : before + 1
    const length = element.value.split('\n')[errorLine - 1]?.length ?? 0
    element.setSelectionRange(start, start + length)
    element.scrollTop = Math.max(0, (errorLine - 3) * 20)
  }, [errorLine])

  const refused = 'bg-failed-soft font-semibold text-failed'
  return (
    <div className="flex overflow-hidden rounded-md border border-control bg-surface has-aria-invalid:border-failed">
      <div
        ref={numbers}
        aria-hidden
        className="w-10 flex-none overflow-hidden border-r bg-sunken py-1.5 text-right font-mono text-xs leading-5 text-muted select-none"
      >
        {lines.map((_, index) => (
          <div key={index} className={`pr-2 ${index + 1 === errorLine ? refused : ''}`}>
            {index + 1}
          </div>
        ))}
      </div>
      <textarea
        {...control}
        {...verbatim}
        ref={area}
        wrap="off"
        rows={Math.min(24, Math.max(8, lines.length + 1))}
        className="min-w-0 flex-1 resize-none bg-transparent px-3 py-1.5 font-mono text-xs leading-5"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onScroll={(event) => {
          if (numbers.current) numbers.current.scrollTop = event.currentTarget.scrollTop
        }}
      />
    </div>
  )
}
