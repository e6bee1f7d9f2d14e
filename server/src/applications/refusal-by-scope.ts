import type { Operation } from '@portico/contract'
import { Refusal } from '../operations/refusal.ts'

/** Why a key or user token with these scopes may not call an operation; undefined if it may. */
export function refusalByScope(scopes: readonly string[], { scope, userScope }: Operation): Refusal | undefined {
  const requiredScope = scope ?? userScope
  if (requiredScope === undefined || scopes.includes(requiredScope)) return undefined
  const what = userScope ? 'token' : 'key'
  return new Refusal('forbidden', { message: `The ${what} lacks the scope ${requiredScope}.`, requiredScope })
}
