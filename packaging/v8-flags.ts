// How the engine runs, in the embedded run and inside the released executable.

/**
 * Small rather than fast; `packages/testbed/bench/memory.ts` tells what they come to. The optimizing compilers cost
 * up to 15 MB, for themselves and for what they make, and would save 0.1 ms of a request.
 */
export const v8Flags = [
  '--max-semi-space-size=1',
  '--max-old-space-size=192',
  '--optimize-for-size',
  '--no-opt',
  '--no-maglev',
  '--no-concurrent-recompilation',
  '--disable-warning=ExperimentalWarning',
]
