import { host } from './host.ts'
import { showToast } from './toasts.svelte.ts'

export interface Choice<Value> {
  /** What was chosen last, until it is saved or refused: controls show it meanwhile. */
  readonly wanted: Value | undefined
  choose(value: Value): Promise<void>
}

/**
 * A choice that is saved immediately. The last one wins: requests don't overtake each other, and of what is chosen
 * while one is being saved, only the last is saved next.
 */
export function createChoice<Value>(
  save: (value: Value) => Promise<unknown>,
  explain: (error: unknown) => string = (error) => host.explainError(error),
): Choice<Value> {
  let wanted = $state.raw<Value>()
  let saving = false

  return {
    get wanted() {
      return wanted
    },
    async choose(value) {
      wanted = value
      if (saving) return
      saving = true
      let next = value
      do {
        value = next
        try {
          await save(value)
        } catch (error) {
          if (value === wanted) showToast(() => explain(error))
        }
        next = wanted
      } while (next !== value)
      saving = false
      wanted = undefined
    },
  }
}
