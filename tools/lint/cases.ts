// For each rule, code that must be reported and its twin that must not be.

export interface Snippet {
  path: string
  code: string
}

export interface LintCase {
  rule: string
  name: string
  bad: Snippet
  good: Snippet
}

const at = (path: string, code: string): Snippet => ({ path, code })

/** Bad and good differ in the code only. */
function byCode(rule: string, name: string, path: string, bad: string, good: string): LintCase {
  return { rule, name, bad: at(path, bad), good: at(path, good) }
}

/** Bad and good differ in the place only. */
function byPlace(rule: string, name: string, code: string, bad: string, good: string): LintCase {
  return { rule, name, bad: at(bad, code), good: at(good, code) }
}

const boundaries: LintCase[] = [
  byCode(
    'reeve(import-boundaries)',
    'the contract uses no module of Node',
    'packages/contract/src/b1.ts',
    `import { sep } from 'node:path'\nexport const a = sep`,
    `import { z } from 'zod'\nexport const a = z.string()`,
  ),
  byCode(
    'reeve(import-boundaries)',
    'the contract imports nothing of ours',
    'packages/contract/src/b2.ts',
    `export { a } from '@reeve/agent/a.ts'`,
    `export { AppError } from './errors.ts'`,
  ),
  byCode(
    'reeve(import-boundaries)',
    'the API does not reach into the agent by path',
    'packages/api/src/b3.ts',
    `export { a } from '../../agent/src/neighbour.ts'`,
    `export { AppError } from '@reeve/contract/errors.ts'`,
  ),
  byCode(
    'reeve(import-boundaries)',
    'nor by a lazy import',
    'packages/api/src/b4.ts',
    `export const a = (): Promise<unknown> => import('../../agent/src/neighbour.ts')`,
    `export const a = (): Promise<unknown> => import('@reeve/contract/errors.ts')`,
  ),
  byCode(
    'reeve(import-boundaries)',
    'nor for a type',
    'packages/api/src/b5.ts',
    `import type { a } from '../../agent/src/neighbour.ts'\nexport type A = typeof a`,
    `import type { AppError } from '@reeve/contract/errors.ts'\nexport type A = AppError`,
  ),
  byCode(
    'reeve(import-boundaries)',
    'the agent loads only what its package.json lists',
    'packages/agent/src/b6.ts',
    `import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\nexport const a: unknown = require('fastify')`,
    `import { z } from 'zod'\nexport const a: unknown = z.string()`,
  ),
  byCode(
    'reeve(import-boundaries)',
    'the web UI does not use modules of Node',
    'packages/web/src/b7.ts',
    `export { sep } from 'node:path'`,
    `export type { Site } from '@reeve/contract/sites.ts'`,
  ),
  byCode(
    'reeve(import-boundaries)',
    'nor packages of its development tools, outside tests',
    'packages/web/src/b8.ts',
    `export { build } from 'vite'`,
    `export { useState } from 'react'`,
  ),
  byPlace(
    'reeve(import-boundaries)',
    'only tests use the testbed',
    `export { a } from '../../testbed/src/neighbour.ts'`,
    'packages/agent/src/b9.ts',
    'packages/agent/src/b9.test.ts',
  ),
  byCode(
    'reeve(import-boundaries)',
    'a test of the agent does not reach into the API either',
    'packages/agent/src/b10.test.ts',
    `export { a } from '../../api/src/neighbour.ts'`,
    `export { it } from 'vitest'`,
  ),
  byPlace(
    'reeve(one-spawner)',
    'the agent starts programs in command.ts only',
    `import { spawn } from 'node:child_process'\nexport const a = spawn`,
    'packages/agent/src/sites/s1.ts',
    'packages/agent/src/command.ts',
  ),
  byPlace(
    'reeve(one-spawner)',
    'also when it asks for the module by a call',
    `export const a: unknown = process.getBuiltinModule('node:child_process')`,
    'packages/agent/src/sites/s2.ts',
    'packages/agent/src/services/s2.ts',
  ),
  byPlace(
    'reeve(one-spawner)',
    'the API starts no program',
    `import { spawn } from 'node:child_process'\nexport const a = spawn`,
    'packages/api/src/s3.ts',
    'packages/api/src/s3.test.ts',
  ),
]

const dangers: LintCase[] = [
  byCode(
    'reeve(no-shell)',
    'the shell option',
    'packages/agent/src/services/n1.ts',
    `import { spawn } from 'node:child_process'\nexport const a = (): unknown => spawn('/bin/true', [], { shell: true })`,
    `import { spawn } from 'node:child_process'\nexport const a = (): unknown => spawn('/bin/true', [], { cwd: '/' })`,
  ),
  byCode(
    'reeve(no-shell)',
    'exec, which always starts a shell',
    'packages/agent/src/services/n2.ts',
    `import { exec } from 'node:child_process'\nexport const a = exec`,
    `import { execFile } from 'node:child_process'\nexport const a = execFile`,
  ),
  byCode(
    'reeve(no-recursive-fs)',
    'rm by name',
    'packages/agent/src/r1.ts',
    `import { rm } from 'node:fs/promises'\nexport const a = rm`,
    `import { unlink } from 'node:fs/promises'\nexport const a = unlink`,
  ),
  byCode(
    'reeve(no-recursive-fs)',
    'cpSync on the module',
    'packages/agent/src/r2.ts',
    `import * as fs from 'node:fs'\nexport const a = (): void => fs.cpSync('/a', '/b')`,
    `import * as fs from 'node:fs'\nexport const a = (): void => fs.copyFileSync('/a', '/b')`,
  ),
  byCode(
    'reeve(no-recursive-fs)',
    'rm on its promises',
    'packages/agent/src/r3.ts',
    `import fs from 'node:fs'\nexport const a = (): Promise<void> => fs.promises.rm('/a')`,
    `import fs from 'node:fs'\nexport const a = (): Promise<void> => fs.promises.unlink('/a')`,
  ),
  byCode(
    'reeve(no-recursive-fs)',
    'cp taken out of promises',
    'packages/agent/src/r4.ts',
    `import { promises } from 'node:fs'\nconst { cp } = promises\nexport const a = cp`,
    `import { promises } from 'node:fs'\nconst { copyFile } = promises\nexport const a = copyFile`,
  ),
  byPlace(
    'eslint(no-console)',
    'one logger per process',
    `export const a = (): void => console.error('a')`,
    'packages/agent/src/c1.ts',
    'packages/agent/src/log.ts',
  ),
  byCode(
    'unicorn(no-process-exit)',
    'no sudden end',
    'packages/api/src/e1.ts',
    `export const a = (): never => process.exit(1)`,
    `export const a = (): void => {\n  process.exitCode = 1\n}`,
  ),
  byCode(
    'eslint(no-eval)',
    'no code from text',
    'packages/api/src/e2.ts',
    `export const a = (text: string): unknown => eval(text)`,
    `export const a = (text: string): unknown => text`,
  ),
  byCode(
    'typescript(no-implied-eval)',
    'nor through a timer',
    'packages/api/src/e3.ts',
    `export const a = (): unknown => setTimeout('a()', 1)`,
    `export const a = (): unknown => setTimeout(() => undefined, 1)`,
  ),
]

const types: LintCase[] = [
  byCode(
    'typescript(no-floating-promises)',
    'a promise nobody waits for',
    'packages/api/src/t1.ts',
    `export function a(work: Promise<void>): void {\n  work.then(() => 1)\n}`,
    `export async function a(work: Promise<void>): Promise<void> {\n  await work\n}`,
  ),
  byCode(
    'typescript(no-misused-promises)',
    'a promise as a condition',
    'packages/api/src/t2.ts',
    `export const a = (isDone: Promise<boolean>): number => (isDone ? 1 : 2)`,
    `export const a = async (isDone: Promise<boolean>): Promise<number> => ((await isDone) ? 1 : 2)`,
  ),
  byCode(
    'typescript(switch-exhaustiveness-check)',
    'a state that no case handles',
    'packages/api/src/t3.ts',
    `export function a(state: 'on' | 'off'): number {\n  switch (state) {\n    case 'on':\n      return 1\n  }\n  return 0\n}`,
    `export function a(state: 'on' | 'off'): number {\n  switch (state) {\n    case 'on':\n      return 1\n    case 'off':\n      return 0\n  }\n}`,
  ),
  byCode(
    'typescript(no-explicit-any)',
    'any',
    'packages/api/src/t4.ts',
    `export type A = any`,
    `export type A = unknown`,
  ),
  byCode(
    'typescript(no-non-null-assertion)',
    'an assertion in one character',
    'packages/api/src/t5.ts',
    `export const a = (b: string | undefined): string => b!`,
    `export const a = (b: string | undefined): string => b ?? ''`,
  ),
  byCode(
    'reeve(explained-assertion)',
    'an assertion without a reason',
    'packages/api/src/t6.ts',
    `export const a = (b: unknown): string => b as string`,
    `// Only strings are ever stored here.\nexport const a = (b: unknown): string => b as string\n\nexport const c = ['d'] as const`,
  ),
  byCode(
    'typescript(consistent-type-imports)',
    'a type imported as a value',
    'packages/api/src/t7.ts',
    `import { Socket } from 'node:net'\nexport type A = Socket`,
    `import type { Socket } from 'node:net'\nexport type A = Socket`,
  ),
  byCode(
    'typescript(only-throw-error)',
    'a thrown word',
    'packages/api/src/t8.ts',
    `export function a(): never {\n  throw 'a'\n}`,
    `export function a(): never {\n  throw new Error('a')\n}`,
  ),
  byCode(
    'typescript(no-unsafe-assignment)',
    'any into a variable',
    'packages/api/src/u1.ts',
    `export const a = JSON.parse('1')`,
    `export const a: unknown = JSON.parse('1')`,
  ),
  byCode(
    'typescript(no-unsafe-argument)',
    'any into a call',
    'packages/api/src/u2.ts',
    `export const a = (): number => Number.parseInt(JSON.parse('1'), 10)`,
    `export const a = (): number => Number.parseInt('1', 10)`,
  ),
  byCode(
    'typescript(no-unsafe-return)',
    'any out of a function',
    'packages/api/src/u3.ts',
    `export function a(): string {\n  return JSON.parse('1')\n}`,
    `export function a(): unknown {\n  return JSON.parse('1')\n}`,
  ),
  byCode(
    'typescript(no-unsafe-member-access)',
    'a field of any',
    'packages/api/src/u4.ts',
    `export const a: unknown = JSON.parse('{}').b`,
    `export const a: unknown = JSON.parse('{}')`,
  ),
  byCode(
    'typescript(no-unsafe-call)',
    'a call of any',
    'packages/api/src/u5.ts',
    `export const a: unknown = JSON.parse('1')()`,
    `export const a: unknown = JSON.parse('1')`,
  ),
]

const shape: LintCase[] = [
  byCode(
    'eslint(eqeqeq)',
    'loose equality',
    'packages/api/src/h1.ts',
    `export const a = (b: string): boolean => b == 'c'`,
    `export const a = (b: string): boolean => b === 'c'`,
  ),
  byPlace(
    'import(no-default-export)',
    'a default export',
    `const a = 1\nexport default a`,
    'packages/api/src/h2.ts',
    'packages/web/h2.config.ts',
  ),
  byCode(
    'import(no-cycle)',
    'a circle of imports',
    'packages/api/src/h3.ts',
    `import { c } from './h3-other.ts'\nexport const a = 1\nexport const b = (): unknown => c`,
    `export const a = 1\nexport const b = (): unknown => a`,
  ),
]

export const cases: readonly LintCase[] = [...boundaries, ...dangers, ...types, ...shape]

/** Files that the snippets import. */
export const surroundings: readonly Snippet[] = [
  at('packages/agent/src/neighbour.ts', 'export const a = 1'),
  at('packages/api/src/neighbour.ts', 'export const a = 1'),
  at('packages/testbed/src/neighbour.ts', 'export const a = 1'),
  at('packages/api/src/h3-other.ts', `import { a } from './h3.ts'\nexport const c = (): unknown => a`),
]
