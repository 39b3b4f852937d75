// What the rest of the agent knows of a running service; systemd units and supervised children both are one.

export interface Service {
  readonly name: string
  /** Starts it unless it runs, and returns once it answers. */
  ensureRunning(): Promise<void>
  /** Pid of the main process, or undefined when it does not run. */
  mainPid(): number | undefined
  signal(name: NodeJS.Signals): void
  stop(): Promise<void>
}
