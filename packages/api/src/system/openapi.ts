// The API as an OpenAPI 3.1 document, made from the endpoint definitions.
import { Account, Session } from '@reeve/contract/accounts.ts'
import { AuditEntry } from '@reeve/contract/audit.ts'
import type { EndpointDefinition } from '@reeve/contract/endpoint.ts'
import { endpoints } from '@reeve/contract/endpoints.ts'
import { ErrorBody } from '@reeve/contract/errors.ts'
import { Site } from '@reeve/contract/sites.ts'
import { Task } from '@reeve/contract/tasks.ts'
import * as z from 'zod'
import { sessionCookie } from '../accounts/sessions.ts'
import { version } from '../version.ts'

interface JsonSchema {
  [key: string]: unknown
  properties?: Record<string, unknown>
  required?: string[]
  $defs?: Record<string, JsonSchema>
}

export function openApiDocument(): { openapi: string; [key: string]: unknown } {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const path = (paths[endpoint.path] ??= {})
    path[endpoint.method.toLowerCase()] = describe(endpoint)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Reeve', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie },
        connector: { type: 'http', scheme: 'bearer' },
      },
      schemas: describeResources(),
    },
  }
}

function describe(endpoint: EndpointDefinition): Record<string, unknown> {
  const body = schemaOf(endpoint.body, 'input')
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    'x-role': endpoint.role,
    security:
      endpoint.role === 'open' ? [] : [{ [endpoint.role === 'connector' ? 'connector' : 'session']: [] }],
    parameters: [...parametersOf(endpoint.params, 'path'), ...parametersOf(endpoint.query, 'query')],
    ...(hasFields(body)
      ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } }
      : {}),
    responses: {
      [endpoint.status]: describeAnswer(endpoint),
      default: {
        description: 'What went wrong',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

function describeAnswer(endpoint: EndpointDefinition): Record<string, unknown> {
  if (endpoint.produces === 'event-stream') {
    return { description: 'Server-sent events', content: { 'text/event-stream': {} } }
  }
  if (endpoint.status === 204) return { description: 'Done' }
  const schema = schemaOf(endpoint.response, 'output')
  return {
    description: endpoint.status === 202 ? 'Accepted; the task tells how it goes' : 'Done',
    content: { 'application/json': { schema } },
  }
}

function parametersOf(schema: z.ZodType, place: 'path' | 'query'): Record<string, unknown>[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input')
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

const hasFields = (schema: JsonSchema) => Object.keys(schema.properties ?? {}).length > 0

/** Resources that are written down once and referred to by name. */
const named = z.registry<{ id: string }>()
const resources = { Account, AuditEntry, Error: ErrorBody, Session, Site, Task }
for (const [id, schema] of Object.entries(resources)) named.add(schema, { id })

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, $defs: __, ...rest } = generate(schema, io)
  return rest
}

function generate(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const generated = z.toJSONSchema(schema, { io, unrepresentable: 'any', metadata: named })
  const text = JSON.stringify(generated).replaceAll('#/$defs/', '#/components/schemas/')
  // What zod generates is an object, and replacing text inside strings leaves it one.
  return JSON.parse(text) as JsonSchema
}

function describeResources(): Record<string, unknown> {
  const entries = Object.entries(resources).map(([name, schema]) => {
    const { $defs = {}, ...generated } = generate(schema, 'output')
    // One that refers to itself by name comes as a reference to its own definition.
    const { $schema: _, id: __, ...description } = $defs[name] ?? generated
    return [name, description] as const
  })
  return Object.fromEntries(entries)
}
