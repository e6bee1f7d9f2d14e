/**
 * The account is signing out or being deleted on this page, and the next page is chosen. The session may turn out to be over
 * before the request that ends it is answered; nobody has to sign in again to return here.
 */
export const leaving = $state({ now: false })
