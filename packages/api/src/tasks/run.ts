// One task from its journal row to its end.
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@reeve/contract/errors.ts'
import { failpoint } from '../failpoint.ts'
import { describeError } from '../log.ts'
import type { AgentProgress, BoundTask, StepContext, TaskOutcome } from './definition.ts'
import { endTask, setTaskState } from './journal.ts'
import type { TaskRecord } from './record.ts'
import type { RunnerDependencies } from './runner.ts'

const undoAttempts = 3
const isAgentLoss = (error: unknown) => error instanceof AppError && error.code === 'agent_unavailable'

/** Errors reach people through the task; what nobody foresaw goes to the log instead. */
const sentenceOf = (error: unknown) =>
  error instanceof AppError
    ? error.message
    : 'Something unexpected went wrong; the panel log has the details.'

export class TaskRun {
  readonly #dependencies: RunnerDependencies
  readonly #definition: BoundTask
  readonly #record: TaskRecord
  readonly #signal: AbortSignal
  readonly #input: unknown
  /** The step that runs now. */
  #position = 0

  constructor(
    dependencies: RunnerDependencies,
    definition: BoundTask,
    record: TaskRecord,
    signal: AbortSignal,
  ) {
    this.#dependencies = dependencies
    this.#definition = definition
    this.#record = record
    this.#signal = signal
    this.#input = record.input
  }

  async finish(): Promise<void> {
    if (this.#record.task.state !== 'queued') this.#append('Interrupted; carrying on from the journal.')
    let problem =
      this.#record.task.state === 'undoing' ? (this.#record.task.error ?? 'It did not work.') : undefined
    if (problem === undefined) problem = await this.#forward()
    if (problem === undefined) return await this.#end({ kind: 'succeeded' })
    await this.#end(await this.#undo(problem))
  }

  /** Runs what is left; answers why it has to be undone, or undefined when all is done. */
  async #forward(): Promise<string | undefined> {
    await setTaskState(this.#dependencies.db, this.#record.task.id, 'running')
    for (const [position, step] of this.#record.steps.entries()) {
      if (step.state === 'succeeded') continue
      this.#position = position
      await this.#record.mark(position, 'running')
      try {
        await this.#withAgent(step.name, async () => {
          failpoint(`${this.#definition.kind}.${step.name}`, 'before')
          await this.#definition.run(position, this.#context(), this.#input)
          failpoint(`${this.#definition.kind}.${step.name}`, 'after')
        })
      } catch (error) {
        this.#signal.throwIfAborted()
        this.#report(error)
        await this.#record.mark(position, 'failed')
        return sentenceOf(error)
      }
      await this.#record.mark(position, 'succeeded')
    }
    return undefined
  }

  async #undo(error: string): Promise<TaskOutcome> {
    await setTaskState(this.#dependencies.db, this.#record.task.id, 'undoing', error)
    // What the agent reports while it removes is not progress of the steps that are shown.
    this.#position = -1
    const started = [...this.#record.steps.entries()].filter(
      ([position, { state }]) =>
        state !== 'pending' && state !== 'undone' && this.#definition.hasUndo(position),
    )
    if (started.length > 0) this.#append('Undoing what was done.')
    for (const [position, step] of started.reverse()) {
      try {
        await this.#undoStep(position, step.name)
      } catch (undoError) {
        this.#signal.throwIfAborted()
        return {
          kind: 'stuck',
          error: `${error} Undoing "${step.name}" failed too: ${sentenceOf(undoError)}`,
        }
      }
      await this.#record.mark(position, 'undone')
    }
    if (started.length > 0) this.#append('Everything that was done has been undone.')
    return { kind: 'undone', error }
  }

  async #undoStep(position: number, name: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#withAgent(name, async () => {
          failpoint(`${this.#definition.kind}.${name}.undo`, 'before')
          await this.#definition.undo(position, this.#context(), this.#input)
          failpoint(`${this.#definition.kind}.${name}.undo`, 'after')
        })
      } catch (error) {
        this.#signal.throwIfAborted()
        this.#report(error)
        if (attempt === undoAttempts) throw error
        await sleep(attempt * 500, undefined, { signal: this.#signal })
      }
    }
  }

  /** An agent that goes away is waited for, then the step is run again: steps are repeatable. */
  async #withAgent(step: string, action: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await action()
      } catch (error) {
        if (!isAgentLoss(error)) throw error
        this.#append('The server agent went away; waiting for it.')
        await this.#agentIsBack()
        this.#append(`The server agent is back; running "${step}" again.`)
      }
    }
  }

  async #agentIsBack(): Promise<void> {
    for (let delayMs = 100; ; delayMs = Math.min(delayMs * 2, 2000)) {
      await sleep(delayMs, undefined, { signal: this.#signal })
      try {
        return await this.#dependencies.agent.ping(this.#signal)
      } catch (error) {
        if (!isAgentLoss(error)) throw error
      }
    }
  }

  #context(): StepContext {
    const { db, agent } = this.#dependencies
    return {
      taskId: this.#record.task.id,
      siteId: this.#record.task.site_id,
      db,
      signal: this.#signal,
      log: (text) => this.#append(text),
      call: (operation, input, deadlineMs) =>
        agent.call(operation, input, {
          deadlineMs,
          signal: this.#signal,
          onEvent: (event) => this.#onProgress(event),
        }),
    }
  }

  #onProgress(event: AgentProgress): void {
    if (event.type === 'log') this.#append(event.text)
    else this.#record.moveShown(this.#position, event.name, event.state)
  }

  #append(text: string): void {
    this.#record.append(text)
  }

  #report(error: unknown): void {
    this.#append(sentenceOf(error))
    this.#dependencies.log('task step failed', { task: this.#record.task.id, error: describeError(error) })
  }

  async #end(outcome: TaskOutcome): Promise<void> {
    if (outcome.kind === 'stuck') this.#append(outcome.error)
    const { task } = this.#record
    await this.#record.write(async (transaction) => {
      await this.#definition.settle(transaction, this.#input, outcome)
      await endTask(transaction, task, outcome.kind === 'succeeded' ? null : outcome.error)
    })
    await this.#record.announceEnd()
  }
}
