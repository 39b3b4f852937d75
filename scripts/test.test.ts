import { describe, expect, it } from 'vitest'
import { readReport } from './test.ts'

const file = (status: string, tests: number) => ({
  status,
  assertionResults: Array.from({ length: tests }, () => ({})),
})

describe('readReport', () => {
  it('adds up what ran', () => {
    const report = { numPassedTests: 5, numFailedTests: 2, testResults: [file('failed', 7)] }
    expect(readReport(JSON.stringify(report), false, false)).toEqual({ passed: 5, failed: 2 })
  })

  it('counts a file that could not be loaded as a failure', () => {
    const report = {
      numPassedTests: 5,
      numFailedTests: 0,
      testResults: [file('passed', 5), file('failed', 0)],
    }
    expect(readReport(JSON.stringify(report), false, false)).toEqual({ passed: 5, failed: 1 })
  })

  it('counts a skipped test as a failure in the whole run, and not in a chosen part', () => {
    const report = { numPassedTests: 5, numPendingTests: 1, numTodoTests: 1 }
    expect(readReport(JSON.stringify(report), true, false)).toEqual({ passed: 5, failed: 2 })
    expect(readReport(JSON.stringify(report), true, true)).toEqual({ passed: 5, failed: 0 })
  })

  it('counts an error outside every test, and a run that wrote no report', () => {
    expect(readReport(JSON.stringify({ numPassedTests: 5 }), false, false)).toEqual({ passed: 5, failed: 1 })
    expect(readReport('{}', false, false)).toEqual({ passed: 0, failed: 1 })
  })
})
