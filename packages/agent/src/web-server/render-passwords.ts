// The password file of a site's prompt, as ngx_http_auth_basic_module reads it: one `user:hash` a line.
import { AppError } from '@reeve/contract/errors.ts'
import { BasicAuth } from '@reeve/contract/site-values.ts'

export function renderPasswords(account: BasicAuth): string {
  const parsed = BasicAuth.safeParse(account)
  if (parsed.success) return `${parsed.data.user}:${parsed.data.password_hash}\n`
  throw new AppError('refused', 'The user or the password hash of the password prompt is not valid.', {
    field: 'basic_auth',
  })
}
