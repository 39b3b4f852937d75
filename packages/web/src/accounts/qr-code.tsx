import { useMemo } from 'react'
import { encode } from 'uqr'

const quietZone = 4

/** One path of unit squares: an SVG of elements, because a string of markup would need innerHTML. */
export function qrPath(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { border: quietZone, ecc: 'M' })
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return { path, size }
}

export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => qrPath(text), [text])
  return (
    // Cameras want dark on light, whatever the theme.
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-44 flex-none rounded-lg border bg-white forced-color-adjust-none"
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  )
}
