// One privileged operation as data. The agent's dispatch table and operations.txt are derived from these.
import type { z } from 'zod'
import type { ErrorBody } from './errors.ts'

export interface OperationDefinition<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  /** `<capability>.<verb>`, e.g. `site.apply`. */
  readonly name: string
  readonly summary: string
  readonly input: Input
  readonly output: Output
}

export function operation<Input extends z.ZodType, Output extends z.ZodType>(
  definition: OperationDefinition<Input, Output>,
): OperationDefinition<Input, Output> {
  return definition
}

export type StepState = 'pending' | 'running' | 'succeeded' | 'failed' | 'undone'

/** What the agent streams, one JSON object a line; the last line is `result` or `error`. */
export type AgentEvent =
  | { type: 'step'; name: string; state: StepState }
  | { type: 'log'; text: string }
  | { type: 'result'; result: unknown }
  | { type: 'error'; error: ErrorBody }
