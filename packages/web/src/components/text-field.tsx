import type { InputHTMLAttributes, ReactNode } from 'react'
import { minPasswordLength } from '../lib/password.ts'
import { Field } from './field.tsx'
import { PasswordInput } from './password-input.tsx'
import { verbatim } from './verbatim.ts'

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
  type?: 'text' | 'email' | 'number'
  optional?: boolean
  /** Looks beyond those of every control, like a fixed-width face. */
  className?: string
}

/** One line of text with its label, hint and error. */
export function TextField({ className, optional = false, ...props }: LineFieldProps) {
  const { name, label, hint, error, onChange, ...input } = props
  return (
    <Field name={name} label={label} hint={hint} error={error} optional={optional}>
      {(control) => (
        <input
          required={!optional}
          {...control}
          {...input}
          className={`control ${className ?? ''}`}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

interface NumberFieldProps extends Omit<LineFieldProps, 'type' | 'step' | 'inputMode' | 'autoComplete'> {
  min: number
  max: number
}

/** A whole number, as it is typed. */
export function NumberField(props: NumberFieldProps) {
  return <TextField {...props} type="number" step={1} inputMode="numeric" />
}

interface LinesFieldProps extends Pick<LineFieldProps, 'name' | 'label' | 'hint' | 'error' | 'optional'> {
  rows?: number
  required?: boolean
  /** Looks beyond those of every control. */
  className?: string
  value: string
  onChange: (text: string) => void
}

/** Several lines of names, paths or addresses. */
export function LinesField({
  rows = 3,
  required = false,
  className = 'font-mono text-sm',
  ...props
}: LinesFieldProps) {
  const { value, onChange, ...field } = props
  return (
    <Field {...field}>
      {(control) => (
        <textarea
          {...control}
          {...verbatim}
          required={required}
          rows={rows}
          className={`control ${className}`}
          value={value}
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
