import { addSshKey, deleteSshKey, getSftp, listSshKeys, setSftp } from '@reeve/contract/access.ts'
import { type Api, route } from '../route.ts'
import { refuseUnserved } from '../sites/change.ts'
import { createSiteLock } from '../sites/site-lock.ts'
import { addKey, presentKey, readSftp, removeKey, turnOff, turnOn } from './access.ts'
import { keysOf } from './store.ts'

export function accessRoutes(api: Api): void {
  const { context } = api
  // The agent is told all of a site's access at once, so one change at a time.
  const lock = createSiteLock()

  route(api, getSftp, async ({ scoped: { site } }) => {
    refuseUnserved(site)
    return await readSftp(context, site)
  })

  route(api, setSftp, async ({ scoped: { site }, body }) => {
    refuseUnserved(site)
    return await lock.hold(site.id, () =>
      body.enabled ? turnOn(context, site, body.password) : turnOff(context, site),
    )
  })

  route(api, listSshKeys, async ({ scoped: { site } }) => {
    return { keys: (await keysOf(context.db, site.id)).map(presentKey) }
  })

  route(api, addSshKey, async ({ scoped: { site }, body }) => {
    refuseUnserved(site)
    return await lock.hold(site.id, () => addKey(context, site, body.public_key))
  })

  route(api, deleteSshKey, async ({ scoped: { site }, params }) => {
    refuseUnserved(site)
    await lock.hold(site.id, () => removeKey(context, site, params.fingerprint))
    return undefined
  })
}
