import { isDeepStrictEqual } from 'node:util'
import { cannot } from './refusal.ts'

/** Refuses to overwrite a value that someone else changed since the caller read it. */
export function refuseUnseen<T extends object>(
  now: T,
  seen: { readonly [K in keyof T]?: T[K] | undefined } | undefined,
): void {
  const is = new Map(Object.entries(now))
  const same = Object.entries(seen ?? {}).every(([field, was]) => isDeepStrictEqual(is.get(field), was))
  if (!same) throw cannot('Someone else just changed this. Review it and try again.', 'changed_meanwhile')
}
