import type { Component } from 'svelte'
import { explainError } from '#explain-error.ts'
import { showToast } from '#ui/toasts.svelte.ts'

type Switcher = Component<{ channelId: string | undefined; onclose: () => void }>

let loaded: Switcher | undefined
let dialog = $state.raw<Switcher>()

/** Jumps to any room, channel or person; loaded when it is first opened, shown by the shell. */
export const switcher = {
  get dialog(): Switcher | undefined {
    return dialog
  },
  async open(): Promise<void> {
    try {
      // No await once it is loaded: the next key is meant for the dialog.
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
