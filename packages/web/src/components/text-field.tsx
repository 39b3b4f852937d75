import type { InputHTMLAttributes, ReactNode } from 'react'
import { minPasswordLength } from '../lib/password.ts'
import { Field } from './field.tsx'
import { PasswordInput } from './password-input.tsx'

interface TextFieldProps
  extends Omit<InputHTMLAttributes<HTMLInputElement>, 'name' | 'value' | 'onChange' | 'className' | 'type'> {
  name: string
  label: string
  hint?: ReactNode
  error?: string | undefined
  value: string
  onChange: (text: string) => void
  /** The dialog that it stands in opens with the focus here. */
  'data-autofocus'?: true | undefined
}

interface LineFieldProps extends TextFieldProps {
  type?: 'text' | 'email'
  /** Looks beyond those of every control, like a fixed-width face. */
  className?: string
}

/** One line of text with its label, hint and error. */
export function TextField({ name, label, hint, error, onChange, className, ...input }: LineFieldProps) {
  return (
    <Field name={name} label={label} hint={hint} error={error}>
      {(control) => (
        <input
          required
          {...control}
          {...input}
          className={`control ${className ?? ''}`}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

interface PasswordFieldProps extends TextFieldProps {
  autoComplete: 'current-password' | 'new-password'
}

/** A password with its label; a new one must be long enough, which the browser says before the server does. */
export function PasswordField({ name, label, hint, error, onChange, ...input }: PasswordFieldProps) {
  return (
    <Field name={name} label={label} hint={hint} error={error}>
      {(control) => (
        <PasswordInput
          required
          minLength={input.autoComplete === 'new-password' ? minPasswordLength : undefined}
          {...control}
          {...input}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
