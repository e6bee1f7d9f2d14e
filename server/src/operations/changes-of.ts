import { isDeepStrictEqual } from 'node:util'

export interface Change {
  readonly from: unknown
  readonly to: unknown
}

/** The fields that an update changes. Undefined fields stay as they are. */
export function changesOf<T extends object>(
  before: T,
  update: { [K in keyof T]?: T[K] | undefined },
): Record<string, Change> {
  const was = new Map(Object.entries(before))
  return Object.fromEntries(
    Object.entries(update)
      .filter(([field, to]) => to !== undefined && !isDeepStrictEqual(was.get(field), to))
      .map(([field, to]) => [field, { from: was.get(field), to }]),
  )
}
