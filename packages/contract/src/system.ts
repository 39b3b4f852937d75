import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { operation } from './operation.ts'

export const getHealth = endpoint({
  name: 'getHealth',
  summary: 'Liveness of the API process',
  method: 'GET',
  path: '/healthz',
  role: 'open',
  response: z.object({ status: z.literal('ok'), version: z.string() }),
})

export const getOpenApi = endpoint({
  name: 'getOpenApi',
  summary: 'This API as an OpenAPI 3.1 document',
  method: 'GET',
  path: '/api/openapi.json',
  role: 'auth',
  response: z.looseObject({ openapi: z.string() }),
})

/** What this server can run, for forms and checks before a task is accepted. */
export const getCapacity = endpoint({
  name: 'getCapacity',
  summary: 'PHP versions installed and the worker budget of one site',
  method: 'GET',
  path: '/api/system/capacity',
  role: 'auth',
  response: z.object({
    php_versions: z.array(z.string()),
    default_php_version: z.string().nullable(),
    /** Workers that fit in a quarter of the memory at 80 MB each. */
    php_workers: z.number(),
    memory_mb: z.number(),
  }),
})

export const systemDescribe = operation({
  name: 'system.describe',
  summary: 'What this server has: PHP versions with an FPM binary, memory, processors',
  input: z.strictObject({}),
  output: z.strictObject({
    php_versions: z.array(z.string()),
    default_php_version: z.string().nullable(),
    php_workers: z.number(),
    memory_mb: z.number(),
  }),
})
