// Which names a site may have. Whoever owns example.com must not find blog.example.com in other hands,
// and a name that looks like another script's letters is a trap for its visitors.
import { domainToUnicode } from 'node:url'
import { AppError } from '@reeve/contract/errors.ts'
import type { Domain, SiteId } from '@reeve/contract/primitives.ts'
import { type Caller, seesAllSites } from '../accounts/sessions.ts'
import type { Config } from '../config.ts'
import type { DatabaseOrTransaction } from '../db/types.ts'
import { domainTaken } from './store.ts'

/** Names that never reach a server on the internet (RFC 6761, RFC 7686, RFC 3172). */
const reservedTlds = new Set(['arpa', 'invalid', 'localhost', 'local', 'onion', 'internal'])

export async function checkDomains(
  db: DatabaseOrTransaction,
  config: Config,
  caller: Caller,
  primary: Domain,
  aliases: readonly Domain[],
  /** The site that has these names already, or some of them. */
  ownId?: SiteId,
): Promise<void> {
  const names = [primary, ...aliases]
  for (const [index, name] of names.entries()) {
    const field = index === 0 ? 'domain' : 'aliases'
    checkName(config, name, field)
    if (names.indexOf(name) !== index) {
      throw new AppError('invalid_request', `${name} is named twice.`, { field: 'aliases' })
    }
  }
  const taken = await db.selectFrom('site_domains').selectAll().execute()
  for (const name of names) {
    for (const other of taken) {
      if (other.site_id === ownId) continue
      const isForeign = !seesAllSites(caller) && !caller.siteIds.has(other.site_id)
      if (name === other.domain || (isForeign && areRelated(name, other.domain))) {
        throw domainTaken(name, primary)
      }
    }
  }
}

function checkName(config: Config, name: string, field: string): void {
  const panel = [config.panelDomain, config.hostname.toLowerCase()]
  if (panel.includes(name)) {
    throw new AppError('conflict', `${name} is the name of this server or its panel.`, { field })
  }
  if (reservedTlds.has(name.slice(name.lastIndexOf('.') + 1))) {
    throw new AppError('refused', `${name} is reserved and cannot be reached by visitors.`, { field })
  }
  if (mixesScripts(name)) {
    throw new AppError('refused', `${name} mixes letters of several scripts that look alike.`, { field })
  }
}

const areRelated = (a: string, b: string) => a.endsWith(`.${b}`) || b.endsWith(`.${a}`)

export function mixesScripts(name: string): boolean {
  return domainToUnicode(name)
    .split('.')
    .some((label) => {
      const scripts = [
        /\p{Script=Latin}/u,
        /\p{Script=Cyrillic}/u,
        /\p{Script=Greek}/u,
        /\p{Script=Armenian}/u,
      ]
      return scripts.filter((script) => script.test(label)).length > 1
    })
}
