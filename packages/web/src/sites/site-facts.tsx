import type { Site } from '@reeve/contract/sites.ts'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { CopyButton } from '../components/copy.tsx'
import { PathText } from '../components/path-text.tsx'
import { Time, useClock } from '../components/time.tsx'
import { dayOf, daysUntil, lifetime } from '../lib/format.ts'
import { strings } from '../lib/strings.ts'
import { isServed } from './health.ts'
import { pageLifetime } from './page-lifetime.ts'
import { hasPageCache, type Tab } from './tabs.ts'
import { isCms, profileCache } from './type-facts.ts'

interface Way {
  to: Tab['to']
  id: string
}

interface Fact {
  name: string
  value: ReactNode
}

/** Everything the panel knows about the site, in cards of a few lines each. */
export function SiteFacts({ site }: { site: Site }) {
  return (
    <div className="mb-8 grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
      <FactCard
        title={strings.site.facts.site}
        facts={siteFacts(site)}
        change={wayTo(site, '/sites/$id/config')}
      />
      {hasPageCache(site.type) ? (
        <FactCard
          title={strings.site.facts.cache}
          facts={cacheFacts(site)}
          change={wayTo(site, '/sites/$id/cache')}
        />
      ) : null}
      <CertificateCard site={site} />
      {site.php_version !== null ? (
        <FactCard
          title={strings.site.facts.php}
          facts={phpFacts(site)}
          change={wayTo(site, '/sites/$id/php')}
        />
      ) : null}
      {site.type === 'proxy' && site.proxy_upstream ? (
        <FactCard
          title={strings.sites.types.proxy}
          facts={[{ name: strings.site.upstream, value: <Mono text={site.proxy_upstream} /> }]}
        />
      ) : null}
      {isCms(site.type) ? (
        <FactCard title={strings.site.facts.administrator} facts={administratorFacts(site)} />
      ) : null}
      <FactCard title={strings.site.facts.storage} facts={storageFacts(site)} />
    </div>
  )
}

/** A site that is not served has no other parts. */
const wayTo = (site: Site, to: Tab['to']): Way | undefined =>
  isServed(site) ? { to, id: site.id } : undefined

function siteFacts(site: Site): Fact[] {
  return [
    { name: strings.site.type, value: strings.sites.types[site.type] },
    ...(site.cms_version ? [{ name: strings.site.cms, value: site.cms_version }] : []),
    { name: strings.site.profile, value: strings.newSite.profiles[site.profile] },
    {
      name: strings.site.aliases,
      value: site.aliases.length > 0 ? site.aliases.join(', ') : strings.common.none,
    },
    { name: strings.site.created, value: <Time at={site.created_at} /> },
    { name: strings.site.changed, value: <Time at={site.updated_at} /> },
  ]
}

function cacheFacts(site: Site): Fact[] {
  return [
    { name: strings.site.state, value: site.cache.enabled ? strings.sites.on : strings.sites.off },
    { name: strings.site.ttl, value: pageLifetime(site) },
    ...(isCms(site.type)
      ? [{ name: strings.site.stale, value: lifetime(profileCache[site.profile].stale_s) }]
      : []),
  ]
}

function phpFacts(site: Site): Fact[] {
  return [
    { name: strings.site.version, value: site.php_version },
    { name: strings.site.workers, value: site.php_workers ?? strings.common.unknown },
    { name: strings.site.objectCache, value: site.object_cache ? strings.sites.on : strings.sites.off },
  ]
}

function administratorFacts(site: Site): Fact[] {
  return [
    { name: strings.site.user, value: site.admin_user ?? strings.common.unknown },
    { name: strings.site.email, value: site.admin_email ?? strings.common.unknown },
    ...(isServed(site) ? [{ name: strings.site.address, value: <AdminLink site={site} /> }] : []),
  ]
}

function AdminLink({ site }: { site: Site }) {
  return (
    <a href={new URL('wp-admin/', site.url).href} target="_blank" rel="noreferrer" className="link">
      wp-admin
    </a>
  )
}

function storageFacts(site: Site): Fact[] {
  return [
    { name: strings.site.directory, value: <Mono text={`/srv/sites/${site.domain}`} /> },
    { name: strings.site.logs, value: <Mono text={`/var/log/reeve/${site.domain}`} /> },
    {
      name: strings.site.systemUser,
      value: site.system_user ? <Mono text={site.system_user} /> : strings.common.unknown,
    },
  ]
}

function CertificateCard({ site }: { site: Site }) {
  const certificate = site.certificate
  const days = useClock((nowMs) => (certificate ? daysUntil(certificate.expires_at, nowMs) : 0))
  if (!certificate) {
    return (
      <FactCard
        title={strings.site.facts.certificate}
        facts={[{ name: strings.site.state, value: strings.common.unknown }]}
      />
    )
  }
  return (
    <FactCard
      title={strings.site.facts.certificate}
      facts={[
        { name: strings.site.issuer, value: strings.sites.certificates[certificate.issuer] },
        {
          name: strings.site.expires,
          value: `${dayOf(certificate.expires_at)} · ${strings.sites.certificateDays(days)}`,
        },
      ]}
      note={certificate.issuer === 'self-signed' ? strings.site.selfSigned : undefined}
      change={wayTo(site, '/sites/$id/certificate')}
    />
  )
}

interface FactCardProps {
  title: string
  facts: readonly Fact[]
  note?: string | undefined
  /** To the part of the page that says more. */
  change?: Way | undefined
}

function FactCard({ title, facts, note, change }: FactCardProps) {
  return (
    <section className="card p-5">
      <h2 className="mb-3 text-sm font-semibold">
        {change ? (
          <Link
            to={change.to}
            params={{ id: change.id }}
            className="inline-flex items-center hover:underline"
          >
            {title}
            <ChevronRight aria-hidden size={14} className="text-muted" />
          </Link>
        ) : (
          title
        )}
      </h2>
      <dl className="flex flex-col gap-1.5 text-sm">
        {facts.map((fact) => (
          <div key={fact.name} className="flex items-baseline justify-between gap-4">
            <dt className="flex-none text-muted">{fact.name}</dt>
            <dd className="min-w-0 text-right wrap-anywhere">{fact.value}</dd>
          </div>
        ))}
      </dl>
      {note ? <p className="mt-3 text-xs text-muted">{note}</p> : null}
    </section>
  )
}

function Mono({ text }: { text: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="min-w-0 font-mono text-xs wrap-anywhere">
        <PathText text={text} />
      </code>
      <span className="-mr-2 flex-none pointer-fine:-my-1">
        <CopyButton text={text} label={strings.common.copy} />
      </span>
    </span>
  )
}
