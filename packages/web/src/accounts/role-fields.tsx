import type { AccountRole } from '@reeve/contract/accounts.ts'
import { useQuery } from '@tanstack/react-query'
import { sitesQuery } from '../lib/queries.ts'
import { strings } from '../lib/strings.ts'

const roles = ['admin', 'operator', 'readonly'] as const satisfies readonly AccountRole[]

export interface RoleChoice {
  role: AccountRole
  siteIds: readonly string[]
}

/** The body's fields: only an operator's sites are named. */
export const roleBody = ({ role, siteIds }: RoleChoice): { role: AccountRole; site_ids?: string[] } =>
  role === 'operator' ? { role, site_ids: [...siteIds] } : { role }

interface RoleFieldsProps {
  choice: RoleChoice
  onChange: (choice: RoleChoice) => void
  error: string | undefined
}

export function RoleFields({ choice, onChange, error }: RoleFieldsProps) {
  return (
    <>
      <fieldset>
        <legend className="mb-1.5 text-sm font-medium">{strings.users.role}</legend>
        <div className="flex flex-col gap-1.5">
          {roles.map((role) => (
            <label
              key={role}
              className="card flex gap-3 p-3 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                name="role"
                value={role}
                checked={choice.role === role}
                onChange={() => onChange({ ...choice, role })}
                className="tick mt-0.5"
              />
              <span>
                <span className="block font-medium">{strings.shell.roles[role]}</span>
                <span className="block text-xs text-muted">{strings.users.roleText[role]}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      {choice.role === 'operator' ? <SiteChoice choice={choice} onChange={onChange} error={error} /> : null}
    </>
  )
}

function SiteChoice({ choice, onChange, error }: RoleFieldsProps) {
  const { data: sites = [] } = useQuery(sitesQuery)
  const toggle = (id: string, chosen: boolean) => {
    const others = choice.siteIds.filter((siteId) => siteId !== id)
    onChange({ ...choice, siteIds: chosen ? [...others, id] : others })
  }
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{strings.users.sites}</legend>
      {sites.length === 0 ? (
        <p className="text-sm text-muted">{strings.users.noSitesYet}</p>
      ) : (
        <div className="max-h-52 overflow-y-auto rounded-lg border p-1.5">
          {sites.map((site) => (
            <label
              key={site.id}
              className="pointer-coarse:min-h-11 flex min-h-8 items-center gap-2.5 rounded-md px-2 hover:bg-hover"
            >
              <input
                type="checkbox"
                className="tick"
                checked={choice.siteIds.includes(site.id)}
                onChange={(event) => toggle(site.id, event.target.checked)}
              />
              <span className="min-w-0 wrap-anywhere">{site.domain}</span>
            </label>
          ))}
        </div>
      )}
      {error ? <p className="mt-1 text-sm text-failed">{error}</p> : null}
    </fieldset>
  )
}
