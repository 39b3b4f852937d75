// Every place of a request that may hold text, from the schemas of all endpoints.
import type { EndpointDefinition } from '@reeve/contract/endpoint.ts'
import { endpoints } from '@reeve/contract/endpoints.ts'
import * as z from 'zod'

type Part = 'params' | 'query' | 'body'

export interface Field {
  endpoint: EndpointDefinition
  part: Part
  /** Keys from the part down; `0` is the first of a list. */
  path: string[]
  /** `createSite body aliases.0`. */
  name: string
}

export const fields: readonly Field[] = endpoints.flatMap((endpoint) =>
  (['params', 'query', 'body'] as const).flatMap((part) => {
    const schema = z.toJSONSchema(endpoint[part], { unrepresentable: 'any', io: 'input' })
    const paths = [...new Set(textPaths(schema, part !== 'body').map((path) => path.join('.')))]
    return paths.map((path) => ({
      endpoint,
      part,
      path: path.split('.'),
      name: `${endpoint.name} ${part} ${path}`,
    }))
  }),
)

/** What is part of an address is text whatever it is parsed to. */
function textPaths(schema: unknown, isAddress: boolean): string[][] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, properties, items, anyOf } = schema as {
    type?: unknown
    properties?: Record<string, unknown>
    items?: unknown
    anyOf?: unknown[]
  }
  if (anyOf) return anyOf.flatMap((one) => textPaths(one, isAddress))
  if (type === 'object') {
    return Object.entries(properties ?? {}).flatMap(([key, value]) =>
      textPaths(value, isAddress).map((path) => [key, ...path]),
    )
  }
  if (type === 'array') return textPaths(items, isAddress).map((path) => ['0', ...path])
  const isText = isAddress || !['boolean', 'integer', 'number', 'null'].includes(String(type))
  return isText ? [[]] : []
}

/** Names of the fields in which a request's body holds one of the texts. */
export function placesOf(method: string, path: string, body: object, texts: readonly string[]): string[] {
  const isAsked = (endpoint: EndpointDefinition) =>
    endpoint.method === method && new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
  const valueAt = (keys: readonly string[]) =>
    keys.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body)
  return fields
    .filter(({ endpoint, part }) => part === 'body' && isAsked(endpoint))
    .filter(({ path: keys }) => texts.some((text) => String(valueAt(keys)).includes(text)))
    .map(({ name }) => name)
}
