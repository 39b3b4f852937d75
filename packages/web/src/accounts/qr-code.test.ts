import { expect, it } from 'vitest'
import { qrPath } from './qr-code.tsx'

it('keeps four light modules around the code, as ISO 18004 asks', () => {
  const { path, size } = qrPath('otpauth://totp/Reeve:ada@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Reeve')
  const modules = [...path.matchAll(/M(\d+) (\d+)h/g)].map(
    (match) => [Number(match[1]), Number(match[2])] as const,
  )
  expect(modules.length).toBeGreaterThan(200)
  for (const [x, y] of modules) {
    expect(Math.min(x, y)).toBeGreaterThanOrEqual(4)
    expect(Math.max(x, y)).toBeLessThan(size - 4)
  }
  // The corner of the first finder pattern.
  expect(modules[0]).toEqual([4, 4])
})
