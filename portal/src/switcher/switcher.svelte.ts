import type { Component } from 'svelte'
import { explainError } from '#explain-error.ts'
import { showToast } from '#ui/toasts.svelte.ts'

type Switcher = Component<{ channelId: string | undefined; onclose: () => void }>

let loaded: Switcher | undefined
let dialog = $state.raw<Switcher>()

/** Goes to any room, channel or person by a few letters; loaded when first asked for, shown by the shell. */
export const switcher = {
  get dialog(): Switcher | undefined {
    return dialog
  },
  async open(): Promise<void> {
    try {
      // Without waiting once it is there: the next key is already meant for it.
      if (!loaded) loaded = (await import('./Switcher.svelte')).default
      dialog = loaded
    } catch (error) {
      showToast(() => explainError(error))
    }
  },
  close(): void {
    dialog = undefined
  },
}
