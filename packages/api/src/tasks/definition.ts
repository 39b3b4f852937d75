import type { AgentEvent, OperationDefinition } from '@reeve/contract/operation.ts'
import type { z } from 'zod'
import type { Database, DatabaseTransaction } from '../db/types.ts'

export interface StepContext {
  readonly taskId: string
  readonly siteId: string | null
  readonly db: Database
  readonly signal: AbortSignal
  log(text: string): void
  /** Calls the agent; its steps and log lines show in the task. */
  call<Input extends z.ZodType, Output extends z.ZodType>(
    operation: OperationDefinition<Input, Output>,
    input: z.input<Input>,
    deadlineMs: number,
  ): Promise<z.output<Output>>
}

export interface StepDefinition<Input> {
  readonly name: string
  /** Names shown in place of this step; the agent's `step` events move them. */
  substeps?(input: Input): readonly string[]
  /** Repeating it must be safe: after a crash nobody knows how far it came. */
  run(context: StepContext, input: Input): Promise<void>
  /** Must be safe also when `run` never began. */
  undo?(context: StepContext, input: Input): Promise<void>
}

/** How a task ended: done, undone as far as its steps know how, or stuck because undoing failed. */
export type TaskOutcome =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'undone'; readonly error: string }
  | { readonly kind: 'stuck'; readonly error: string }

export interface TaskDefinition<Input = unknown> {
  /** `<capability>.<verb>` */
  readonly kind: string
  readonly input: z.ZodType<Input>
  readonly steps: readonly StepDefinition<Input>[]
  /** Runs in the transaction that ends the task: whatever the outcome means for the database. */
  settle?(transaction: DatabaseTransaction, input: Input, outcome: TaskOutcome): Promise<void>
}

/** The definition with its input type closed over, so that kinds of every input share one table. */
export interface BoundTask {
  readonly kind: string
  readonly stepNames: readonly string[]
  /** Whether this version can read the input. */
  accepts(input: unknown): boolean
  substeps(position: number, input: unknown): readonly string[] | undefined
  run(position: number, context: StepContext, input: unknown): Promise<void>
  hasUndo(position: number): boolean
  undo(position: number, context: StepContext, input: unknown): Promise<void>
  settle(transaction: DatabaseTransaction, input: unknown, outcome: TaskOutcome): Promise<void>
}

export function defineTask<Input>(definition: TaskDefinition<Input>): BoundTask & { readonly Input?: Input } {
  const parse = (input: unknown) => definition.input.parse(input)
  return {
    kind: definition.kind,
    stepNames: definition.steps.map(({ name }) => name),
    accepts: (input) => definition.input.safeParse(input).success,
    substeps: (position, input) => definition.steps[position]?.substeps?.(parse(input)),
    run: async (position, context, input) => definition.steps[position]?.run(context, parse(input)),
    hasUndo: (position) => definition.steps[position]?.undo !== undefined,
    undo: async (position, context, input) => definition.steps[position]?.undo?.(context, parse(input)),
    settle: async (transaction, input, outcome) => definition.settle?.(transaction, parse(input), outcome),
  }
}

export type AgentProgress = Extract<AgentEvent, { type: 'step' | 'log' }>
