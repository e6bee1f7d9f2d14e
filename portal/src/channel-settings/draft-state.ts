/** Values of a form that others may change meanwhile: fields by name, each a plain value. */
export type Values = Record<string, string | number | boolean | null>

export interface DraftState<V extends Values> {
  /** What the person made of the fields that they touched. */
  readonly own: Partial<V>
  /** How those fields were when the person began to change them. */
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

/** The person has seen what somebody else made of the field, and wants their own all the same. */
export function keep<V extends Values>({ own, base }: DraftState<V>, saved: V, field: keyof V): DraftState<V> {
  return { own, base: { ...base, [field]: saved[field] } }
}

export function forget<V extends Values>({ own, base }: DraftState<V>, field: keyof V): DraftState<V> {
  return { own: only(own, (other) => other !== field), base: only(base, (other) => other !== field) }
}

/** What the person changed, and nothing else. */
export function changesOf<V extends Values>({ own }: DraftState<V>, saved: V): Partial<V> {
  return only(own, (field, value) => saved[field] !== value)
}

/** How the changed fields were when the person saw them. */
export function seenOf<V extends Values>(draft: DraftState<V>, saved: V): Partial<V> {
  const changes = changesOf(draft, saved)
  return only(draft.base, (field) => field in changes)
}

/** Fields that somebody else changed while the person was changing them, with what they are now. */
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
