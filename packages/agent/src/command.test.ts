import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run } from './command.ts'
import { startTime, waitUntil } from './processes.ts'
import { makeFolder } from './testing/folder.ts'

it('hands arguments over untouched: no shell reads them', async () => {
  const { stdout } = await run(
    'php',
    ['-r', 'echo json_encode(array_slice($argv, 1));', '--', '$(id)', '`id`', ';', '*'],
    {
      timeoutMs: 10_000,
    },
  )
  expect(JSON.parse(stdout)).toEqual(['$(id)', '`id`', ';', '*'])
})

it('gives the program a fixed environment', async () => {
  process.env['REEVE_TEST_LEAK'] = 'leaked'
  const { stdout } = await run('php', ['-r', 'echo json_encode(array_keys(getenv()));'], {
    timeoutMs: 10_000,
  })
  delete process.env['REEVE_TEST_LEAK']
  expect(JSON.parse(stdout).sort()).toEqual(['HOME', 'LANG', 'LC_ALL', 'PATH', 'REEVE_COMMAND_OF'])
})

it('ends the whole process group at the deadline', async () => {
  const note = join(makeFolder('command'), 'pid')
  const script = `$p = proc_open(["sleep", "60"], [], $x); file_put_contents($argv[1], proc_get_status($p)["pid"]); sleep(60);`
  await expect(run('php', ['-r', script, '--', note], { timeoutMs: 1500 })).rejects.toThrow(
    'still running after 1500 ms',
  )
  const grandchild = Number(readFileSync(note, 'utf8'))
  expect(grandchild).toBeGreaterThan(1)
  expect(await waitUntil(() => startTime(grandchild) === undefined, 2000)).toBe(true)
})

it('says which program failed, how, and its own words', async () => {
  await expect(run('openssl', ['frobnicate'], { timeoutMs: 5000 })).rejects.toThrow(
    /^openssl failed \(exit code \d+\): .*frobnicate/s,
  )
})

it('stops a program that prints without end', async () => {
  const endless = run('php', ['-r', 'while (true) echo str_repeat("x", 65536);'], {
    timeoutMs: 20_000,
    maxOutputBytes: 100_000,
  })
  await expect(endless).rejects.toThrow('printed more than 100000 bytes')
})

it('writes secrets to standard input, where no other user can read them', async () => {
  const { stdout } = await run('php', ['-r', 'echo strlen(stream_get_contents(STDIN));'], {
    timeoutMs: 5000,
    input: 'x'.repeat(200_000),
  })
  expect(stdout).toBe('200000')
})
