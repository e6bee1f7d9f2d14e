import type { Component } from 'svelte'
import { explainError } from '#api/explain-error.ts'
import { showToast } from '#ui/toasts.svelte.ts'

type CreateChannel = Component<{ oncreated: () => void; onclose: () => void }>

let dialog = $state.raw<CreateChannel>()

/** The dialog that creates a channel: loaded when it is first opened, shown by the shell. */
export const creation = {
  get dialog(): CreateChannel | undefined {
    return dialog
  },
  async begin(): Promise<void> {
    try {
      dialog = (await import('./CreateChannel.svelte')).default
    } catch (error) {
      showToast(() => explainError(error))
    }
  },
  end(): void {
    dialog = undefined
  },
}
