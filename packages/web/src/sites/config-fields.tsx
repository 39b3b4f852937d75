// The parts of the configuration form.
import type { Site } from '@reeve/contract/sites.ts'
import { Button } from '../components/button.tsx'
import { CheckField } from '../components/check-field.tsx'
import { Field } from '../components/field.tsx'
import { Notice } from '../components/notice.tsx'
import { PasswordInput } from '../components/password-input.tsx'
import { LinesField, TextField } from '../components/text-field.tsx'
import { verbatim } from '../components/verbatim.ts'
import { strings } from '../lib/strings.ts'
import { CodeArea } from './code-area.tsx'
import { listMessage, type Refusals, sentence } from './config-errors.ts'
import { type ConfigForm, linesOf } from './config-form.ts'
import { DurationField } from './duration-field.tsx'
import { FormSection } from './form-section.tsx'
import { RedirectTable } from './redirect-table.tsx'
import { isCms } from './type-facts.ts'

export interface ConfigPart {
  site: Site
  form: ConfigForm
  change: (part: Partial<ConfigForm>) => void
  refusals: Refusals
}

const text = strings.config

const messageFor = (refusals: Refusals, field: string): string | undefined => {
  const refusal = refusals[field]
  return refusal && sentence(refusal.message)
}

export function AddressFields({ site, form, change, refusals }: ConfigPart) {
  return (
    <FormSection title={text.addresses}>
      <LinesField
        name="aliases"
        label={text.aliases}
        hint={text.aliasesHint}
        error={listMessage(refusals['aliases'], linesOf(form.aliases))}
        value={form.aliases}
        onChange={(aliases) => change({ aliases })}
      />
      <WwwField {...{ site, form, change, refusals }} />
      <CheckField
        name="https_redirect"
        label={text.httpsRedirect}
        hint={text.httpsRedirectHint}
        error={messageFor(refusals, 'https_redirect')}
        checked={form.https_redirect}
        onChange={(https_redirect) => change({ https_redirect })}
      />
      <div className="flex flex-col gap-3">
        <CheckField
          name="hsts"
          label={text.hsts}
          hint={text.hstsHint}
          error={messageFor(refusals, 'hsts')}
          checked={form.hsts}
          onChange={(hsts) => change({ hsts })}
        />
        {form.hsts ? (
          <Notice tone="attention">
            {site.certificate?.issuer === 'self-signed' ? text.hstsSelfSigned : text.hstsWarning}
          </Notice>
        ) : null}
      </div>
    </FormSection>
  )
}

const bareOf = (domain: string): string => domain.replace(/^www\./, '')

function WwwField({ site, form, change, refusals }: ConfigPart) {
  const bare = bareOf(site.domain)
  const names = [site.domain, ...linesOf(form.aliases)]
  const missing =
    form.www_redirect === 'none' ? undefined : [bare, `www.${bare}`].find((name) => !names.includes(name))
  // WordPress sends visitors of other names back to its own one.
  const isOwn = (name: string) => !isCms(site.type) || name === site.domain
  const choices = [
    ['none', text.wwwAny],
    ...(isOwn(bare) ? [['to_bare', bare] as const] : []),
    ...(isOwn(`www.${bare}`) ? [['to_www', `www.${bare}`] as const] : []),
  ] as const
  return (
    <div>
      <Field name="www_redirect" label={text.www} error={messageFor(refusals, 'www_redirect')}>
        {(control) => (
          <select
            {...control}
            className="control"
            value={form.www_redirect}
            onChange={(event) => {
              const chosen = choices.find(([value]) => value === event.target.value)
              if (chosen) change({ www_redirect: chosen[0] })
            }}
          >
            {choices.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {missing ? (
        <p className="mt-2 flex flex-wrap items-center gap-2 text-sm">
          {text.wwwNeeds(missing)}
          <Button onClick={() => change({ aliases: [...linesOf(form.aliases), missing].join('\n') })}>
            {text.wwwAdd(missing)}
          </Button>
        </p>
      ) : null}
    </div>
  )
}

export function RedirectFields({ form, change, refusals, isReadOnly }: ConfigPart & { isReadOnly: boolean }) {
  return (
    <FormSection title={text.redirects} hint={text.redirectsHint}>
      <RedirectTable
        rows={form.redirects}
        refusal={refusals['redirects']}
        isReadOnly={isReadOnly}
        onChange={(redirects) => change({ redirects })}
      />
    </FormSection>
  )
}

export function CacheFields({ site, form, change, refusals }: ConfigPart) {
  return (
    <FormSection title={text.pageCache}>
      <CheckField
        name="cache"
        label={text.cacheOn}
        hint={isCms(site.type) ? text.cacheOnHint : text.cacheOnHintApplication}
        checked={form.cacheEnabled}
        onChange={(cacheEnabled) => change({ cacheEnabled })}
      />
      {form.cacheEnabled ? (
        <>
          {isCms(site.type) ? (
            <DurationField
              name="ttl_s"
              label={text.ttl}
              hint={text.ttlHint}
              error={messageFor(refusals, 'cacheTtl')}
              seconds={form.cacheTtl}
              onChange={(cacheTtl) => change({ cacheTtl })}
            />
          ) : null}
          <LinesField
            name="bypass_paths"
            label={text.bypass}
            hint={text.bypassHint}
            error={listMessage(refusals['bypassPaths'], linesOf(form.bypassPaths))}
            value={form.bypassPaths}
            onChange={(bypassPaths) => change({ bypassPaths })}
          />
        </>
      ) : null}
    </FormSection>
  )
}

export function ProtectionFields({ site, form, change, refusals }: ConfigPart) {
  const { basicAuth } = form
  return (
    <FormSection title={text.protection}>
      <CheckField
        name="basic_auth"
        label={text.basicAuth}
        hint={text.basicAuthHint}
        checked={basicAuth.on}
        onChange={(on) => change({ basicAuth: { ...basicAuth, on } })}
      />
      {basicAuth.on ? <PromptFields {...{ site, form, change, refusals }} /> : null}
      {isCms(site.type) ? (
        <CheckField
          name="login_rate_limit"
          label={text.loginLimit}
          hint={text.loginLimitHint}
          error={messageFor(refusals, 'loginRateLimit')}
          checked={form.loginRateLimit}
          onChange={(loginRateLimit) => change({ loginRateLimit })}
        />
      ) : null}
    </FormSection>
  )
}

function PromptFields({ site, form: { basicAuth }, change, refusals }: ConfigPart) {
  const keepsPassword = site.basic_auth !== null && site.basic_auth.user === basicAuth.user.trim()
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        {...verbatim}
        name="user"
        label={text.basicAuthUser}
        error={messageFor(refusals, 'basicAuthUser')}
        value={basicAuth.user}
        onChange={(user) => change({ basicAuth: { ...basicAuth, user } })}
      />
      <Field
        name="password"
        label={text.basicAuthPassword}
        hint={keepsPassword ? text.basicAuthKeep : undefined}
        error={messageFor(refusals, 'basicAuthPassword')}
      >
        {(control) => (
          <PasswordInput
            {...control}
            required={!keepsPassword}
            autoComplete="new-password"
            value={basicAuth.password}
            onChange={(event) => change({ basicAuth: { ...basicAuth, password: event.target.value } })}
          />
        )}
      </Field>
    </div>
  )
}

export function SnippetFields({ form, change, refusals }: ConfigPart) {
  const refusal = refusals['snippet']
  return (
    <FormSection title={text.snippet} hint={text.snippetHint}>
      <Field name="nginx_snippet" label={text.snippetLabel} error={refusal?.message}>
        {(control) => (
          <CodeArea
            {...control}
            errorLine={refusal?.line}
            value={form.snippet}
            onChange={(snippet) => change({ snippet })}
          />
        )}
      </Field>
    </FormSection>
  )
}
