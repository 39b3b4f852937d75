// Values that are safe by construction: what parses here cannot break out of a configuration file.
import * as z from 'zod'

/** A site's id: random, so that ids tell nothing about how many sites exist. */
export const SiteId = z.string().regex(/^s[a-z2-7]{15}$/, 'is not a site id')
export type SiteId = z.infer<typeof SiteId>

export const TaskId = z.string().regex(/^t[a-z2-7]{15}$/, 'is not a task id')
export type TaskId = z.infer<typeof TaskId>

export const AccountId = z.string().regex(/^a[a-z2-7]{15}$/, 'is not an account id')
export type AccountId = z.infer<typeof AccountId>

/** Milliseconds since the epoch are never sent; times are RFC 3339 in UTC. */
export const Timestamp = z.iso.datetime()
export type Timestamp = z.infer<typeof Timestamp>

// RFC 9110 host, RFC 1123 labels, RFC 3492 for other scripts. Anything else is refused, not cleaned.
const typedDomain = /^[\p{L}\p{N}\p{M}.-]+$/u
const asciiLabel = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** Lower-case A-label form of a host name, or the reason why it is not one. */
export function parseDomain(text: string): { domain: string } | { problem: string } {
  if (text.length > 253) return { problem: 'is longer than 253 characters' }
  if (!typedDomain.test(text)) return { problem: 'may hold only letters, digits, hyphens and dots' }
  let domain: string
  try {
    domain = new URL(`http://${text}`).hostname
  } catch {
    return { problem: 'is not a domain name' }
  }
  if (domain.length > 253) return { problem: 'is longer than 253 characters' }
  const labels = domain.split('.')
  if (labels.length < 2) return { problem: 'needs at least two labels, like example.com' }
  if (!labels.every((label) => asciiLabel.test(label))) return { problem: 'is not a domain name' }
  if (/^[0-9]+$/.test(labels.at(-1) ?? '')) return { problem: 'is an address, not a domain name' }
  if (domain.endsWith('.localhost') || domain === 'localhost') return { problem: 'is reserved' }
  return { domain }
}

/** A host name in lower-case ASCII; other scripts become punycode. */
export const Domain = z
  .string()
  .transform((text, context) => {
    const parsed = parseDomain(text)
    if ('domain' in parsed) return parsed.domain
    context.addIssue({ code: 'custom', message: parsed.problem })
    return z.NEVER
  })
  .brand<'Domain'>()
export type Domain = z.infer<typeof Domain>

export const Email = z.email('is not an e-mail address').max(254).brand<'Email'>()
export type Email = z.infer<typeof Email>

/** Visible text on one line: no control or line-separating characters, nothing that hides its direction. */
export const OneLine = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u,
    'may not hold control characters or line breaks',
  )
export type OneLine = z.infer<typeof OneLine>

/** The user name WordPress accepts in its strict mode, without spaces. */
export const CmsUserName = z
  .string()
  .min(1)
  .max(60)
  .regex(/^[A-Za-z0-9_.@-]+$/, 'may hold only letters, digits and _ . @ -')
  .brand<'CmsUserName'>()
export type CmsUserName = z.infer<typeof CmsUserName>

export const PhpVersion = z
  .string()
  .regex(/^[0-9]\.[0-9]{1,2}$/, 'looks like 8.2')
  .brand<'PhpVersion'>()
export type PhpVersion = z.infer<typeof PhpVersion>

export interface Upstream {
  protocol: 'http' | 'https'
  host: string
  port: number
}

/** Takes `http://host:port` apart; a path, credentials or query in it is refused. */
export function parseUpstream(text: string): Upstream | undefined {
  const match = /^(https?):\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(?::([0-9]{1,5}))?\/?$/.exec(text)
  if (!match) return undefined
  const [, protocol, host, portText] = match
  const port = portText ? Number(portText) : protocol === 'https' ? 443 : 80
  if (!host || port < 1 || port > 65535) return undefined
  const isIpv4 = /^(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})(?:\.(?!$)|$)){4}$/.test(host)
  const isName = host === 'localhost' || 'domain' in parseDomain(host)
  if (!isIpv4 && !isName && !host.startsWith('[')) return undefined
  return { protocol: protocol === 'https' ? 'https' : 'http', host, port }
}

/** Where a proxied site's requests go: `http://127.0.0.1:3000`. */
export const ProxyUpstream = z
  .string()
  .max(300)
  .refine((text) => parseUpstream(text) !== undefined, 'must look like http://127.0.0.1:3000')
  .brand<'ProxyUpstream'>()
export type ProxyUpstream = z.infer<typeof ProxyUpstream>
