import { describe, expect, it } from 'vitest'
import { tailOf } from './tail.ts'

describe('tailOf', () => {
  it('keeps a short log whole', () => {
    expect(tailOf('a\nb\n', 2)).toEqual({ text: 'a\nb\n', hiddenLines: 0 })
    expect(tailOf('', 2)).toEqual({ text: '', hiddenLines: 0 })
    expect(tailOf('a', 1)).toEqual({ text: 'a', hiddenLines: 0 })
  })
  it('counts what it leaves out', () => {
    expect(tailOf('a\nb\nc\n', 2)).toEqual({ text: 'b\nc\n', hiddenLines: 1 })
    expect(tailOf('a\nb\nc', 1)).toEqual({ text: 'c', hiddenLines: 2 })
  })
  it('handles a hundred thousand lines', () => {
    const log = Array.from({ length: 100_000 }, (_, line) => `line ${line}\n`).join('')
    const tail = tailOf(log, 2000)
    expect(tail.hiddenLines).toBe(98_000)
    expect(tail.text.startsWith('line 98000\n')).toBe(true)
  })
})
