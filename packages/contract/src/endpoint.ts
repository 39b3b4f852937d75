// One HTTP endpoint as data. Routes, the typed client, openapi.json and endpoints.txt are all derived
// from these values, so an endpoint without a role or schema cannot exist.
import * as z from 'zod'

/**
 * Who may call (spec, "Endpoints"): `open` nobody need sign in; `auth` any account; `manage` admin, or an
 * operator on an assigned site; `global` admin or readonly; `admin` admin only; `connector` a site's own
 * bearer token instead of a session.
 */
export type Role = 'open' | 'auth' | 'manage' | 'global' | 'admin' | 'connector'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The resource that `{id}` in the path names; it is resolved through the caller's own sites. */
export type Scope = 'site' | 'task' | 'cron'

export interface EndpointDefinition<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  DeclaredRole extends Role = Role,
  DeclaredScope extends Scope = Scope,
> {
  /** The operationId: verb + noun. */
  readonly name: string
  readonly summary: string
  readonly method: Method
  /** Path in OpenAPI form: `/api/sites/{id}`. */
  readonly path: string
  readonly role: DeclaredRole
  readonly scope?: DeclaredScope
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly response: Response
  /** Status of the successful answer. */
  readonly status: 200 | 201 | 202 | 204
  /** Answered also while the agent is down; every other signed-in action is refused with a bad gateway then. */
  readonly worksWithoutAgent?: true
  /** `json` (default) or a server-sent event stream that the handler writes itself. */
  readonly produces?: 'json' | 'event-stream'
}

/** The empty input: any field in it is an unknown field. */
export const Nothing = z.strictObject({})
export type Nothing = z.infer<typeof Nothing>

type Optionals = 'params' | 'query' | 'body' | 'response' | 'status'

export function endpoint<
  Response extends z.ZodType = typeof Nothing,
  Params extends z.ZodType = typeof Nothing,
  Query extends z.ZodType = typeof Nothing,
  Body extends z.ZodType = typeof Nothing,
  DeclaredRole extends Role = Role,
  DeclaredScope extends Scope = never,
>(
  definition: Omit<
    EndpointDefinition<Params, Query, Body, Response, DeclaredRole, DeclaredScope>,
    Optionals
  > &
    Partial<Pick<EndpointDefinition<Params, Query, Body, Response, DeclaredRole, DeclaredScope>, Optionals>>,
): EndpointDefinition<Params, Query, Body, Response, DeclaredRole, DeclaredScope> {
  // The defaults are `Nothing`, which is also what the type parameters default to.
  const inputs = { params: Nothing, query: Nothing, body: Nothing, response: Nothing } as unknown as Pick<
    EndpointDefinition<Params, Query, Body, Response>,
    'params' | 'query' | 'body' | 'response'
  >
  return { ...inputs, status: 200, ...definition }
}
