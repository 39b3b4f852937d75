import { Page } from '../components/page.tsx'
import { useMe } from '../lib/access.ts'
import { strings } from '../lib/strings.ts'
import { PasswordSection } from './password-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { TwoFactorSection } from './two-factor-section.tsx'

export function AccountPage() {
  const me = useMe()
  return (
    <Page
      title={strings.account.title}
      lead={
        <>
          {me.email} · {strings.shell.roles[me.role]}
        </>
      }
    >
      <div className="grid items-start gap-x-6 gap-y-8 md:grid-cols-2">
        <TwoFactorSection />
        <PasswordSection />
        <div className="min-w-0 md:col-span-2">
          <SessionsSection />
        </div>
      </div>
    </Page>
  )
}
