// Values of a site's document beside its names: paths, redirects, credentials of nginx's own password prompt.
import * as z from 'zod'

/** A path of the site as nginx compares it: decoded, absolute, without query. */
export const SitePath = z
  .string()
  .max(500)
  .regex(
    /^\/[A-Za-z0-9._~!*'()@:=+,/-]*$/,
    "must begin with / and hold only letters, digits and - . _ ~ ! * ' ( ) @ : = + , /",
  )
export type SitePath = z.infer<typeof SitePath>

const redirectTarget = /^(?:https?:\/\/[a-z0-9.-]+(?::[0-9]{1,5})?)?\/[A-Za-z0-9._~!*'()@:=+,/?&%#-]*$/

/** One address that is answered with another; `from` is compared exactly. */
export const Redirect = z.strictObject({
  from: SitePath,
  to: z
    .string()
    .max(1000)
    .regex(redirectTarget, 'must be a path like /new or an address like https://example.com/new'),
  status: z.union([z.literal(301), z.literal(302), z.literal(307), z.literal(308)]).default(301),
})
export type Redirect = z.infer<typeof Redirect>

export const BasicAuth = z.strictObject({
  user: z.string().regex(/^[A-Za-z0-9._@-]{1,64}$/, 'may hold only letters, digits and . _ @ -'),
  /** SHA-512-crypt (crypt(5)), which glibc and so nginx verify. */
  password_hash: z.string().regex(/^\$6\$(?:rounds=[0-9]{4,9}\$)?[./0-9A-Za-z]{1,16}\$[./0-9A-Za-z]{86}$/),
})
export type BasicAuth = z.infer<typeof BasicAuth>

export const PhpLimits = z.strictObject({
  memory_limit_mb: z.int().min(32).max(4096).default(256),
  max_execution_s: z.int().min(5).max(3600).default(60),
  upload_max_mb: z.int().min(1).max(2048).default(64),
})
export type PhpLimits = z.infer<typeof PhpLimits>
