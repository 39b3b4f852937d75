// Programs run through the agent's command.ts (services keep long-lived ones); the API runs none at all.
import { forEachModule, type Rule } from '../ast.ts'
import { type Place, placeOf } from '../place.ts'

export const oneSpawner: Rule = {
  create(context) {
    const place = placeOf(context.filename)
    if (!place || place.isTest || maySpawn(place)) return {}
    return forEachModule((node, specifier) => {
      if (!/^(node:)?(child_process|cluster)$/.test(specifier)) return
      const message =
        place.package === 'agent'
          ? 'Run programs through run() of command.ts: it has the table of programs, the deadline and the cap.'
          : `packages/${place.package} must not start processes; what needs one is an operation of the agent.`
      context.report({ node, message })
    })
  },
}

function maySpawn({ package: name, path }: Place): boolean {
  if (name === 'testbed') return true
  return name === 'agent' && (path === 'command.ts' || path.startsWith('services/'))
}
