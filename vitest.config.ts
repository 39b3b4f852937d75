import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Tests start real services, drop privileges and kill processes: each file gets a process of its own.
    pool: 'forks',
    // Vitest leaves one processor free, which halves a machine of two.
    maxWorkers: '100%',
    allowOnly: false,
    // Deadlines are real ones, and a machine may be busy with other work: a test is tried once more, and the report
    // says which one was.
    retry: 1,
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,packaging,scripts,tools}/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'packages/testbed/e2e/**'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['packages/testbed/e2e/**/*.test.ts'],
          // Each file boots a whole server on this machine's users, ports and memory.
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
