import { Check, Code2, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { ApiCall } from '../lib/api.ts'
import { curlLine } from '../lib/curl.ts'
import { strings } from '../lib/strings.ts'
import { Button } from './button.tsx'
import { announce } from './toasts.tsx'

function useCopied(): [boolean, (text: string) => Promise<void>] {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1600)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return [copied, copy]
}

interface CopyButtonProps {
  text: string
  label: string
  /** Shows the label beside the icon. */
  wide?: boolean
}

export function CopyButton({ text, label, wide }: CopyButtonProps) {
  const [copied, copy] = useCopied()
  const Icon = copied ? Check : Copy
  return (
    <Button
      look="quiet"
      icon={!wide}
      aria-label={wide ? undefined : copied ? strings.common.copied : label}
      title={label}
      onClick={() => void copy(text)}
    >
      <Icon aria-hidden size={15} />
      {wide ? (copied ? strings.common.copied : label) : null}
    </Button>
  )
}

/** Every mutation can be copied as the call it makes: the interface is only a client. */
export function CallButton({ call }: { call: () => ApiCall }) {
  const [copied, copy] = useCopied()
  const Icon = copied ? Check : Code2
  return (
    <Button
      look="quiet"
      icon
      aria-label={strings.common.copyCall}
      title={strings.common.copyCall}
      onClick={() =>
        void copy(curlLine(location.origin, call())).then(() => announce(strings.common.copiedCall))
      }
    >
      <Icon aria-hidden size={15} />
    </Button>
  )
}

/** A line to run in a terminal, with its copy button. */
export function CommandLine({ command }: { command: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-md border bg-surface py-0.5 pr-0.5 pl-2.5">
      <code className="min-w-0 overflow-x-auto font-mono text-xs whitespace-nowrap">{command}</code>
      <CopyButton text={command} label={strings.common.copy} />
    </span>
  )
}
