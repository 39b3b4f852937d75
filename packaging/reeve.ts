// The program: one file, one command per process. Commands load lazily, so that the agent never loads Fastify.
import { releaseMemoryWhenIdle } from './idle-memory.ts'

declare const __REEVE_VERSION__: string

const usage = `Usage: reeve <command>

  api            the HTTP API and web UI, as user reeve
  agent          the privileged half, as root
  embedded       both, with nginx, PHP-FPM, MariaDB and Redis, below one directory (npm start)

  setup-token    prints the token of the first setup
  doctor         checks all that this server needs, and says what to do; --json
  recover-admin  lists the accounts, or gives one a new password; works with the panel stopped
  timer          does the work of one timer now; systemd's timers run it
  verify-audit   checks the audit log's chain
  version        prints the version

REEVE_ROOT names the directory of the installation.
`

/** For a person: what the command answers, or one sentence and exit code 1. */
async function answer(work: Promise<string>): Promise<void> {
  try {
    process.stdout.write(await work)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}

/** The reader of our output may die first; a log line must not end a process that is cleaning up. */
function outliveReader(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
}

/** Only the two services have somebody to tell. */
async function readyOf(env: NodeJS.ProcessEnv): Promise<() => void> {
  const { connectSupervisor } = await import('./notify.ts')
  const supervisor = await connectSupervisor(env)
  return () => supervisor.ready()
}

async function main(command: string | undefined): Promise<void> {
  outliveReader()
  switch (command) {
    case 'api': {
      releaseMemoryWhenIdle()
      const { runApi } = await import('../packages/api/src/main.ts')
      return runApi(process.env, await readyOf(process.env))
    }
    case 'agent': {
      releaseMemoryWhenIdle()
      const { runAgent } = await import('../packages/agent/src/main.ts')
      return runAgent(process.env, await readyOf(process.env))
    }
    case 'embedded': {
      const { runEmbedded } = await import('./embedded/main.ts')
      return runEmbedded(process.env)
    }
    case 'setup-token': {
      const { showSetupToken } = await import('../packages/api/src/rescue.ts')
      return answer(showSetupToken(process.env))
    }
    case 'recover-admin': {
      const { recoverAdmin } = await import('../packages/api/src/rescue.ts')
      return answer(recoverAdmin(process.env, process.argv.slice(3)))
    }
    case 'doctor': {
      const { runDoctor } = await import('./doctor.ts')
      return answer(
        runDoctor(process.env, process.argv.slice(3)).then(({ text, isHealthy }) => {
          if (!isHealthy) process.exitCode = 1
          return text
        }),
      )
    }
    case 'timer': {
      const { runTimer } = await import('./timer.ts')
      return answer(runTimer(process.env, process.argv[3]))
    }
    case 'verify-audit': {
      const { verifyAudit } = await import('../packages/agent/src/audit/verify.ts')
      return answer(verifyAudit(process.env))
    }
    case 'version':
    case '--version':
      process.stdout.write(`reeve ${__REEVE_VERSION__}\n`)
      return
    case undefined:
    default:
      process.stderr.write(usage)
      process.exitCode = 64
  }
}

main(process.argv[2]).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  process.exitCode = 1
})
