// What becomes of text in the places that do not refuse it. Every other place does, which a test holds against the
// schemas: a new field is either refused there or named here.

/**
 * `shown`: kept, and shown by the panel · `secret`: a password, never shown · `compared`: held
 * against what is kept, or not looked at · `asked`: looked for, and forgotten.
 */
type Fate = 'shown' | 'secret' | 'compared' | 'asked'

export const fates: Readonly<Record<string, Fate>> = {
  'login body email': 'shown',
  'createSite body title': 'shown',
  'createCronJob body command': 'shown',
  'login body password': 'secret',
  'login body totp': 'compared',
  'changePassword body current_password': 'compared',
  'changePassword body new_password': 'secret',
  'confirmTwoFactor body code': 'compared',
  'disableTwoFactor body password': 'compared',
  'completeSetup body token': 'compared',
  'completeSetup body password': 'compared',
  'createUser body password': 'secret',
  'createSite body admin_password': 'secret',
  'updateSiteConfig body basic_auth.password': 'secret',
  'setSftp body password': 'secret',
  'getServerLog query filter': 'asked',
  'getSiteLog query filter': 'asked',
  'listAudit query actor': 'asked',
  'listAudit query action': 'asked',
}
