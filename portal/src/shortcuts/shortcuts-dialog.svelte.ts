import type { Component } from 'svelte'
import { explainError } from '#explain-error.ts'
import { showToast } from '#ui/toasts.svelte.ts'

type ShortcutsDialog = Component<{ onclose: () => void }>

let loaded: ShortcutsDialog | undefined
let dialog = $state.raw<ShortcutsDialog>()

/** The dialog with all shortcuts; loaded when it is first opened, shown by the shell. */
export const shortcutsDialog = {
  get dialog(): ShortcutsDialog | undefined {
    return dialog
  },
  async open(): Promise<void> {
    try {
      // No await once it is loaded: the next key is meant for the dialog.
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
