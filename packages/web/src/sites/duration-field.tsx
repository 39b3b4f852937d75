import { useState } from 'react'
import { type ControlProps, Field } from '../components/field.tsx'
import { strings } from '../lib/strings.ts'

interface DurationFieldProps {
  name: string
  label: string
  hint: string
  error: string | undefined
  seconds: number | null
  onChange: (seconds: number | null) => void
}

const units = [1, 60, 3600, 86_400] as const
type Unit = (typeof units)[number]

/** The largest unit that gives a whole number. */
export const unitOf = (seconds: number): Unit =>
  units.findLast((unit) => seconds % unit === 0 && seconds > 0) ?? 1

export function DurationField({ seconds, onChange, ...field }: DurationFieldProps) {
  return <Field {...field}>{(control) => <DurationInput {...{ control, seconds, onChange }} />}</Field>
}

interface DurationInputProps extends Pick<DurationFieldProps, 'seconds' | 'onChange'> {
  control: ControlProps
}

function DurationInput({ control, seconds, onChange }: DurationInputProps) {
  const [chosen, setChosen] = useState<Unit>(() => unitOf(seconds ?? 60))
  // A value that came from elsewhere may not be a whole number of the chosen unit.
  const unit = seconds === null || seconds % chosen === 0 ? chosen : unitOf(seconds)
  return (
    <div className="flex max-w-72 gap-2">
      <input
        {...control}
        type="number"
        required
        min={1}
        step={1}
        inputMode="numeric"
        className="control"
        value={seconds === null ? '' : seconds / unit}
        onChange={(event) => {
          const typed = event.target.valueAsNumber
          setChosen(unit)
          onChange(Number.isNaN(typed) ? null : Math.round(typed) * unit)
        }}
      />
      <select
        aria-label={strings.config.ttlUnit}
        className="control"
        value={unit}
        onChange={(event) => {
          const next = units.find((candidate) => String(candidate) === event.target.value) ?? unit
          setChosen(next)
          onChange(seconds === null ? null : (seconds / unit) * next)
        }}
      >
        {units.map((candidate) => (
          <option key={candidate} value={candidate}>
            {strings.config.ttlUnits[candidate]}
          </option>
        ))}
      </select>
    </div>
  )
}
