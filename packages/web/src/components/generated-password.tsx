import { RefreshCw } from 'lucide-react'
import { generatePassword, minPasswordLength } from '../lib/password.ts'
import { strings } from '../lib/strings.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'
import { Field } from './field.tsx'
import { PasswordInput } from './password-input.tsx'

interface GeneratedPasswordProps {
  name: string
  label: string
  hint: string
  error: string | undefined
  value: string
  onChange: (password: string) => void
}

/** A password the panel has made up: to read, copy, replace by another, or by one's own. */
export function GeneratedPassword({ name, label, hint, error, value, onChange }: GeneratedPasswordProps) {
  return (
    <Field name={name} label={label} hint={hint} error={error}>
      {(control) => (
        <div className="flex items-center gap-1">
          <div className="min-w-0 flex-1">
            <PasswordInput
              {...control}
              required
              minLength={minPasswordLength}
              autoComplete="new-password"
              value={value}
              onChange={(event) => onChange(event.target.value)}
            />
          </div>
          <CopyButton text={value} label={strings.newSite.copyPassword} />
          <Button
            look="quiet"
            icon
            aria-label={strings.newSite.generate}
            title={strings.newSite.generate}
            onClick={() => onChange(generatePassword())}
          >
            <RefreshCw aria-hidden size={15} />
          </Button>
        </div>
      )}
    </Field>
  )
}
