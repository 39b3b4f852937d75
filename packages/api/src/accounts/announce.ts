// Tells the open pages which accounts and sessions to read again.
import type { EventHub } from '../events.ts'

/** The list of accounts changed; those who may read it see it at once. */
export function announceUsers(events: EventHub): void {
  events.publish('invalidate', { keys: ['users'] }, { siteId: null, accountId: null })
}

/** The account has one session more, or some fewer. */
export function announceSessions(events: EventHub, accountId: string): void {
  events.publish('invalidate', { keys: ['account/sessions'] }, { onlyAccountId: accountId })
}

/** The second factor of the account was switched on or off, which ends its other sessions. */
export function announceTwoFactor(events: EventHub, accountId: string): void {
  events.publish('invalidate', { keys: ['me', 'account/sessions'] }, { onlyAccountId: accountId })
  announceUsers(events)
}

/** What the account may see and do is different from now on. */
export function announceReach(events: EventHub, accountId: string): void {
  events.publish('invalidate', { keys: ['*'] }, { onlyAccountId: accountId })
  announceUsers(events)
}
