// The steps a person sees in place of a step of the journal, moved by what the agent reports.
import type { TaskStep } from '@reeve/contract/tasks.ts'

export function moveStep(step: TaskStep, state: TaskStep['state']): void {
  const now = new Date().toISOString()
  step.state = state
  if (state === 'running') {
    step.started_at = now
    step.finished_at = null
  } else if (state !== 'pending') {
    step.started_at ??= now
    step.finished_at = now
  }
}

/** Brings a shown step in line with the journal's own step when that begins or ends. */
export function settleShown(shown: TaskStep, state: TaskStep['state']): void {
  if (state === 'running') {
    shown.state = 'pending'
    shown.started_at = null
    shown.finished_at = null
  } else if (state === 'succeeded') {
    if (shown.state !== 'succeeded') moveStep(shown, 'succeeded')
  } else if (state === 'failed') {
    if (shown.state === 'running') moveStep(shown, 'failed')
  } else if (state === 'undone' && shown.state !== 'pending' && shown.state !== 'failed') {
    // The step that failed stays the one that people look for.
    moveStep(shown, 'undone')
  }
}
