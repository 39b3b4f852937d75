/** A gate: a reeve kept the manor's. */
export function Mark({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="flex-none">
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <path
        d="M8 25V15a8 8 0 0 1 16 0v10M13.3 25V9.6M18.7 25V9.6M8.4 17h15.2"
        fill="none"
        strokeWidth="2.4"
        strokeLinecap="round"
        className="stroke-accent-ink"
      />
    </svg>
  )
}
