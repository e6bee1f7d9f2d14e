import type { Component } from 'svelte'
import { explainError } from '#explain-error.ts'
import { showToast } from '#ui/toasts.svelte.ts'

type ShortcutsDialog = Component<{ onclose: () => void }>

let loaded: ShortcutsDialog | undefined
let dialog = $state.raw<ShortcutsDialog>()

/** All keys in one dialog; loaded when first asked for, shown by the shell. */
export const shortcutsDialog = {
  get dialog(): ShortcutsDialog | undefined {
    return dialog
  },
  async open(): Promise<void> {
    try {
      // Without waiting once it is there: the next key is already meant for it.
      if (!loaded) loaded = (await import('./ShortcutsDialog.svelte')).default
      dialog = loaded
    } catch (error) {
      showToast(() => explainError(error))
    }
  },
  close(): void {
    dialog = undefined
  },
}
