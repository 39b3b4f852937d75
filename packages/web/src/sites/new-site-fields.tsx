import type { Profile } from '@reeve/contract/sites.ts'
import {
  AppWindow,
  ArrowRightLeft,
  FileCode2,
  FileText,
  type LucideIcon,
  PanelsTopLeft,
  ShoppingCart,
} from 'lucide-react'
import { useId } from 'react'
import { GeneratedPassword } from '../components/generated-password.tsx'
import { TextField } from '../components/text-field.tsx'
import { verbatim } from '../components/verbatim.ts'
import { lifetime, megabytes } from '../lib/format.ts'
import type { Capacity } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'
import { chooseType, type SiteForm } from './new-site-form.ts'
import { isCms, profileCache, profiles, siteTypes, usesPhp, workerMegabytes } from './type-facts.ts'

export interface FormPart {
  form: SiteForm
  change: (part: Partial<SiteForm>) => void
}

export type FieldErrors = Readonly<Record<string, string | undefined>>

const typeIcons: Record<(typeof siteTypes)[number], LucideIcon> = {
  wordpress: PanelsTopLeft,
  woocommerce: ShoppingCart,
  php: FileCode2,
  laravel: AppWindow,
  static: FileText,
  proxy: ArrowRightLeft,
}

export function DomainField({ form, change, error }: FormPart & { error: string | undefined }) {
  return (
    <TextField
      {...verbatim}
      name="domain"
      label={strings.newSite.domain}
      hint={strings.newSite.domainHint}
      error={error}
      autoFocus
      inputMode="url"
      placeholder={strings.newSite.domainPlaceholder}
      className="text-lg"
      value={form.domain}
      onChange={(domain) => change({ domain })}
    />
  )
}

const choiceCard =
  'card flex h-full cursor-pointer gap-3 p-3.5 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent'

export function TypeChoice({ form, change }: FormPart) {
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{strings.newSite.type}</legend>
      <div className="grid gap-2 sm:grid-cols-2 md:grid-cols-3">
        {siteTypes.map((type) => {
          const Icon = typeIcons[type]
          return (
            <label key={type} className={choiceCard}>
              <input
                type="radio"
                name="type"
                value={type}
                checked={form.type === type}
                onChange={() => change(chooseType(form, type))}
                className="sr-only"
              />
              <Icon aria-hidden size={18} strokeWidth={1.8} className="mt-px flex-none text-muted" />
              <span>
                <span className="block font-medium">{strings.sites.types[type]}</span>
                <span className="block text-xs text-muted">{strings.newSite.typeText[type]}</span>
              </span>
            </label>
          )
        })}
      </div>
    </fieldset>
  )
}

export function ProfileChoice({ form, change, capacity }: FormPart & { capacity: Capacity | undefined }) {
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{strings.newSite.profile}</legend>
      <div className="grid gap-2 md:grid-cols-3">
        {profiles.map((profile) => (
          <label key={profile} className={choiceCard}>
            <input
              type="radio"
              name="profile"
              value={profile}
              checked={form.profile === profile}
              onChange={() => change({ profile })}
              className="tick mt-0.5"
            />
            <span className="flex flex-col gap-1">
              <span className="font-medium">{strings.newSite.profiles[profile]}</span>
              <span className="text-xs text-muted">{strings.newSite.profileText[profile]}</span>
              <ProfileCost profile={profile} form={form} capacity={capacity} />
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function ProfileCost({
  profile,
  form,
  capacity,
}: {
  profile: Profile
  form: SiteForm
  capacity: Capacity | undefined
}) {
  const { ttl_s, stale_s } = profileCache[profile]
  const workers = Number(form.phpWorkers) || capacity?.php_workers
  return (
    <span className="mt-1 text-xs">
      {isCms(form.type) ? (
        <span className="block">{strings.newSite.profileCost(lifetime(ttl_s), lifetime(stale_s))}</span>
      ) : null}
      {usesPhp(form.type) ? (
        workers ? (
          <span className="block">
            {strings.newSite.profileWorkers(workers, megabytes(workers * workerMegabytes))}
          </span>
        ) : null
      ) : (
        <span className="block">{strings.newSite.profileNoPhp}</span>
      )}
    </span>
  )
}

export function UpstreamField({ form, change, error }: FormPart & { error: string | undefined }) {
  return (
    <TextField
      {...verbatim}
      name="proxy_upstream"
      label={strings.newSite.upstream}
      hint={strings.newSite.upstreamHint}
      error={error}
      inputMode="url"
      className="font-mono"
      value={form.upstream}
      onChange={(upstream) => change({ upstream })}
    />
  )
}

export function AdministratorFields({ form, change, errors }: FormPart & { errors: FieldErrors }) {
  const legend = useId()
  return (
    <div role="group" aria-labelledby={legend} className="grid gap-4 sm:grid-cols-2">
      <h2 id={legend} className="text-sm font-medium sm:col-span-2">
        {strings.newSite.administrator}
      </h2>
      <TextField
        name="admin_email"
        label={strings.newSite.adminEmail}
        error={errors['admin_email']}
        type="email"
        autoComplete="off"
        value={form.adminEmail}
        onChange={(adminEmail) => change({ adminEmail })}
      />
      <TextField
        {...verbatim}
        name="admin_user"
        label={strings.newSite.adminUser}
        error={errors['admin_user']}
        value={form.adminUser}
        onChange={(adminUser) => change({ adminUser })}
      />
      <div className="sm:col-span-2">
        <GeneratedPassword
          name="admin_password"
          label={strings.newSite.adminPassword}
          hint={strings.newSite.adminPasswordHint}
          error={errors['admin_password']}
          value={form.adminPassword}
          onChange={(adminPassword) => change({ adminPassword })}
        />
      </div>
    </div>
  )
}
