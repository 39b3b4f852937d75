import type { Site } from '@reeve/contract/sites.ts'
import { createContext, useContext } from 'react'

export const SiteContext = createContext<Site | undefined>(undefined)

/** The site whose page this is; the frame around the page has loaded it. */
export function useSite(): Site {
  const site = useContext(SiteContext)
  if (!site) throw new Error('useSite() is called outside the page of a site')
  return site
}
