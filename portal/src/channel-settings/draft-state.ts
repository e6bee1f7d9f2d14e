/** Values of a form that others may change at the same time, by field name. */
export type Values = Record<string, string | number | boolean | null>

export interface DraftState<V extends Values> {
  /** The edited fields. */
  readonly own: Partial<V>
  /** The saved values of those fields when editing began. */
  readonly base: Partial<V>
}

export const untouched = { own: {}, base: {} } as const

export function touch<V extends Values>(
  draft: DraftState<V>,
  saved: V,
  field: keyof V,
  value: V[keyof V],
): DraftState<V> {
  if (saved[field] === value) return forget(draft, field)
  const begun = field in changesOf(draft, saved)
  return {
    own: { ...draft.own, [field]: value },
    base: begun ? draft.base : { ...draft.base, [field]: saved[field] },
  }
}

/** Keeps the edited value in spite of a conflict. */
export function keep<V extends Values>({ own, base }: DraftState<V>, saved: V, field: keyof V): DraftState<V> {
  return { own, base: { ...base, [field]: saved[field] } }
}

export function forget<V extends Values>({ own, base }: DraftState<V>, field: keyof V): DraftState<V> {
  return { own: only(own, (other) => other !== field), base: only(base, (other) => other !== field) }
}

/** The changed fields only. */
export function changesOf<V extends Values>({ own }: DraftState<V>, saved: V): Partial<V> {
  return only(own, (field, value) => saved[field] !== value)
}

/** The saved values of the changed fields when editing began. */
export function seenOf<V extends Values>(draft: DraftState<V>, saved: V): Partial<V> {
  const changes = changesOf(draft, saved)
  return only(draft.base, (field) => field in changes)
}

/** Fields that someone else changed during editing, with their current values. */
export function conflictOf<V extends Values>(draft: DraftState<V>, saved: V): Partial<V> {
  const changes = changesOf(draft, saved)
  return only<V>(saved, (field, value) => field in changes && draft.base[field] !== value)
}

function only<V extends Values>(values: Partial<V>, wanted: (field: keyof V, value: unknown) => boolean): Partial<V> {
  const kept: Partial<V> = {}
  for (const field of Object.keys(values) as (keyof V)[]) {
    const value = values[field]
    if (value !== undefined && wanted(field, value)) kept[field] = value
  }
  return kept
}
