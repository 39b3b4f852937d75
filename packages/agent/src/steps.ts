// Runs the steps of an operation side by side where they do not need each other, and reports each one.
import type { Progress } from './dispatch.ts'
import { failpoint } from './failpoint.ts'

export interface Step {
  name: string
  /** Names of steps that must have succeeded before. */
  after: readonly string[]
  /** Idempotent: a repeated step finds its work done. */
  run: () => Promise<void>
}

/**
 * Throws the first failure, but only after every started step has ended: an undo never races with the work
 * it takes back. A step whose predecessor failed is not started.
 */
export async function runSteps(operation: string, steps: readonly Step[], progress: Progress): Promise<void> {
  const outcomes = new Map<string, Promise<boolean>>()
  const failures: unknown[] = []

  const perform = async (step: Step): Promise<boolean> => {
    const predecessors = await Promise.all(
      step.after.map((name) => outcomes.get(name) ?? Promise.resolve(true)),
    )
    if (predecessors.includes(false)) return false
    const name = `${operation}.${step.name.replaceAll(' ', '-')}`
    progress.step(step.name, 'running')
    try {
      failpoint(name, 'before')
      await step.run()
      failpoint(name, 'after')
    } catch (error) {
      // The first failure is the operation's answer; of the others nobody would hear.
      if (failures.push(error) > 1)
        progress.log(`${step.name}: ${error instanceof Error ? error.message : String(error)}`)
      progress.step(step.name, 'failed')
      return false
    }
    progress.step(step.name, 'succeeded')
    return true
  }

  for (const step of steps) outcomes.set(step.name, perform(step))
  await Promise.all(outcomes.values())
  if (failures.length > 0) throw failures[0]
}
