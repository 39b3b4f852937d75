import { minPasswordLength, type PasswordStrength, passwordStrength } from '../lib/password.ts'
import { strings } from '../lib/strings.ts'

const shares: Record<PasswordStrength, { width: string; color: string }> = {
  short: { width: '15%', color: 'bg-failed' },
  weak: { width: '35%', color: 'bg-failed' },
  fair: { width: '65%', color: 'bg-attention' },
  strong: { width: '100%', color: 'bg-healthy' },
}

export function StrengthMeter({ password }: { password: string }) {
  if (password === '') return <>{strings.setup.passwordHint(minPasswordLength)}</>
  const strength = passwordStrength(password)
  const { width, color } = shares[strength]
  return (
    <span className="flex items-center gap-2.5">
      <span aria-hidden className="meter h-1 flex-1 overflow-hidden rounded-full bg-line">
        <span
          className={`block h-full rounded-full transition-[width] duration-150 ${color}`}
          style={{ width }}
        />
      </span>
      <span className="w-24 text-right">{strings.setup.strength[strength]}</span>
    </span>
  )
}
