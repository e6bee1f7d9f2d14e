import { changesOf, forget, keep, conflictOf, seenOf, touch, untouched } from './draft-state.ts'
import type { DraftState, Values } from './draft-state.ts'

export interface Draft<V extends Values> {
  readonly values: V
  readonly changed: boolean
  readonly changes: Partial<V>
  readonly seen: Partial<V>
  readonly overtaken: Partial<V>
  set<K extends keyof V>(field: K, value: V[K]): void
  keep(field: keyof V): void
  take(field: keyof V): void
  reset(): void
}

/**
 * A form over live data. Untouched fields follow the saved values; edited ones keep their text and report a conflict
 * when the saved value changes.
 */
export function createDraft<V extends Values>(saved: () => V): Draft<V> {
  let draft = $state.raw<DraftState<V>>(untouched)
  const changes = $derived(changesOf(draft, saved()))

  return {
    get values() {
      return { ...saved(), ...changes }
    },
    get changed() {
      return Object.keys(changes).length > 0
    },
    get changes() {
      return changes
    },
    get seen() {
      return seenOf(draft, saved())
    },
    get overtaken() {
      return conflictOf(draft, saved())
    },
    set(field, value) {
      draft = touch(draft, saved(), field, value)
    },
    keep(field) {
      draft = keep(draft, saved(), field)
    },
    take(field) {
      draft = forget(draft, field)
    },
    reset() {
      draft = untouched
    },
  }
}
