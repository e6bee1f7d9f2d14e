import type { Operation, Scope } from '@portico/contract'
import { Refusal } from '../refusal.ts'

/** Why a key with these scopes may not call an operation, if so. */
export function refusalByScope(scopes: readonly Scope[], { scope }: Operation): Refusal | undefined {
  if (scope === undefined || scopes.includes(scope)) return undefined
  return new Refusal('forbidden', { message: `The key lacks the scope ${scope}.`, requiredScope: scope })
}
