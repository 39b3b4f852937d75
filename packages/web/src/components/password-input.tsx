import { Eye, EyeOff } from 'lucide-react'
import { type InputHTMLAttributes, useState } from 'react'
import { strings } from '../lib/strings.ts'
import { Button } from './button.tsx'

type PasswordInputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'className'> & {
  /** Starts readable: for a password the panel has just made. */
  shown?: boolean
}

export function PasswordInput({ shown = false, ...input }: PasswordInputProps) {
  const [readable, setReadable] = useState(shown)
  const Icon = readable ? EyeOff : Eye
  const label = readable ? strings.common.passwordHide : strings.common.passwordShow
  return (
    <div className="relative">
      <input
        {...input}
        type={readable ? 'text' : 'password'}
        spellCheck={false}
        autoCapitalize="off"
        className={`control pr-10 ${readable ? 'font-mono' : ''}`}
      />
      <div className="absolute inset-y-0 right-0 flex items-center">
        <Button look="quiet" icon aria-label={label} title={label} onClick={() => setReadable(!readable)}>
          <Icon aria-hidden size={15} />
        </Button>
      </div>
    </div>
  )
}
