import { describe, expect, it } from 'vitest'
import { generatePassword, passwordStrength } from './password.ts'

describe('generatePassword', () => {
  it('has the length asked for and no ambiguous character', () => {
    for (let i = 0; i < 200; i++) expect(generatePassword(20)).toMatch(/^[a-km-np-zA-HJ-NP-Z2-9]{20}$/)
  })
  it('does not repeat itself', () => {
    expect(new Set(Array.from({ length: 1000 }, () => generatePassword())).size).toBe(1000)
  })
  it('uses every letter about equally often', () => {
    const counts = new Map<string, number>()
    for (const letter of generatePassword(56_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    // 1,000 expected each; six standard deviations are about 190.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(190)
  })
})

describe('passwordStrength', () => {
  it.each([
    ['short', 'elevenchars'],
    ['weak', 'aaaaaaaaaaaaaaaaaaaa'],
    ['fair', 'correcthorse'],
    ['strong', 'correct horse battery staple'],
    ['strong', 'x7Kp-q2Rm4Zt'],
  ])('calls it %s: %s', (expected, password) => {
    expect(passwordStrength(password)).toBe(expected)
  })
})
