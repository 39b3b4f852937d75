// A place for work on material that is not trusted yet: a fresh directory shown to one process that runs as an
// account no site has, without network and without a view of anything else.
import { lchownSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Domain } from '@reeve/contract/primitives.ts'
import type { SiteUser } from '../as-site-user.ts'
import { firstSiteUid } from '../registry.ts'
import { removeRootTree } from './root-tree.ts'

/** Sites are numbered from 1, so the first id of their range belongs to none of them. */
export const scratchUid = firstSiteUid

const namePattern = /^\.work-([0-9]+)-[0-9]+$/
let counter = 0

export interface Scratch extends AsyncDisposable {
  /** Root's; others may pass through it, to `site.home`, but not list it. */
  dir: string
  /** A directory in it that belongs to the scratch account, as the home of a site would. */
  site: SiteUser
}

/** Makes `<parent>/.work-…`; what an earlier process of ours left there is removed first. */
export function openScratch(parent: string): Scratch {
  mkdirSync(parent, { recursive: true, mode: 0o755 })
  removeAbandoned(parent)
  const dir = join(parent, `.work-${process.pid}-${++counter}`)
  removeRootTree(dir)
  mkdirSync(dir, { mode: 0o711 })
  const home = join(dir, 'home')
  mkdirSync(home, { mode: 0o700 })
  lchownSync(home, scratchUid, scratchUid)
  return {
    dir,
    site: {
      domain: Domain.parse('scratch.invalid'),
      user: 'scratch',
      uid: scratchUid,
      gid: scratchUid,
      home,
    },
    [Symbol.asyncDispose]: async () => removeRootTree(dir),
  }
}

function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = namePattern.exec(name)?.[1]
    if (owner !== undefined && owner !== String(process.pid)) removeRootTree(join(parent, name))
  }
}
