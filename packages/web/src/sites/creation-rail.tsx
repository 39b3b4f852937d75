import { Check } from 'lucide-react'
import { PathText } from '../components/path-text.tsx'
import { lifetime } from '../lib/format.ts'
import type { Capacity } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { aliasesOf, hasObjectCache, type SiteForm, typedDomain } from './new-site-form.ts'
import { isCms, profileCache, usesPhp } from './type-facts.ts'

/** What will exist when the form is sent, kept in step with it. */
export function creationList(form: SiteForm, capacity: Capacity | undefined): string[] {
  const text = strings.newSite
  const domain = typedDomain(form) ?? text.domainPlaceholder
  const items: string[] = [text.railUser, text.railFiles(domain)]
  if (usesPhp(form.type)) {
    items.push(text.railDatabase)
    const workers = Number(form.phpWorkers) || capacity?.php_workers
    const version = form.phpVersion || capacity?.default_php_version
    if (workers && version) items.push(text.railPhp(workers, version))
  }
  if (hasObjectCache(form)) items.push(text.railObjectCache)
  items.push(text.railCertificate, text.railVhost(aliasesOf(form).length))
  if (isCms(form.type)) items.push(text.railPageCache(lifetime(profileCache[form.profile].ttl_s)))
  if (form.type === 'proxy')
    items.push(text.railApplication.proxy(form.upstream.trim() || text.railUpstreamUnset))
  else items.push(text.railApplication[form.type])
  return items
}

export function CreationRail({ form, capacity }: { form: SiteForm; capacity: Capacity | undefined }) {
  return (
    <aside className="card top-16 p-5 lg:sticky">
      <h2 className="mb-3 text-sm font-semibold">{strings.newSite.rail}</h2>
      <ul className="flex flex-col gap-2 text-sm">
        {creationList(form, capacity).map((item) => (
          <li key={item} className="flex gap-2">
            <Check aria-hidden size={14} strokeWidth={2.4} className="mt-0.5 flex-none text-healthy" />
            <span className="min-w-0 wrap-anywhere">
              <PathText text={item} />
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-4 border-t pt-3 text-xs text-muted">{strings.newSite.railTime}</p>
    </aside>
  )
}
