import { streamEvents } from '@reeve/contract/events.ts'
import { securityHeaders } from './http-guards.ts'
import { type Api, route } from './route.ts'

export function eventRoutes(api: Api): void {
  const { events } = api.context

  route(api, streamEvents, async ({ caller, request, reply }) => {
    const lastEventId = request.headers['last-event-id']
    events.open(
      caller,
      reply.raw,
      { ...securityHeaders, 'cache-control': 'no-store' },
      typeof lastEventId === 'string' ? lastEventId : undefined,
    )
    // After open(): when that throws, the answer is still an ordinary error.
    reply.hijack()
    return undefined
  })
}
