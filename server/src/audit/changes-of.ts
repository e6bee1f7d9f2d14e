import { isDeepStrictEqual } from 'node:util'

export interface Change {
  readonly from: unknown
  readonly to: unknown
}

/** What an update makes different, field by field. What it leaves undefined stays as it was. */
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
