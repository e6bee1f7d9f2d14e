import { readStored, writeStored } from './local-storage.ts'

/** The account that signed in last, to which what this browser stores belongs. */
export const STORED_ACCOUNT = 'account'

/** The account that signed in last in this browser. Undefined if someone has signed out since. */
export function storedAccountId(): string | undefined {
  return readStored(STORED_ACCOUNT, (value): value is string => typeof value === 'string')
}

/** The account is signed in on a page that was just opened. */
export function rememberAccount(accountId: string): void {
  if (storedAccountId() === undefined) writeStored(STORED_ACCOUNT, accountId)
}

let left = false

/** Called when the account has signed out: until the next page loads, nothing more is stored or sent for it. */
export function noteLeft(): void {
  left = true
}

/** Whether the account has signed out on this page. */
export function hasLeft(): boolean {
  return left
}

/** Whether this account signed in last in this browser: another tab may have changed it since this page was opened. */
export function isSignedIn(accountId: string): boolean {
  return !left && (storedAccountId() ?? accountId) === accountId
}
