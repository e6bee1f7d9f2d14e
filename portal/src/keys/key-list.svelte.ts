import type { Component } from 'svelte'
import { explain } from '#explain.ts'
import { notify } from '#ui/notices.svelte.ts'

type KeyList = Component<{ onclose: () => void }>

let loaded: KeyList | undefined
let dialog = $state.raw<KeyList>()

/** All keys in one dialog; loaded when first asked for, shown by the shell. */
export const keyList = {
  get dialog(): KeyList | undefined {
    return dialog
  },
  async open(): Promise<void> {
    try {
      // Without waiting once it is there: the next key is already meant for it.
      if (!loaded) loaded = (await import('./KeyList.svelte')).default
      dialog = loaded
    } catch (error) {
      notify(() => explain(error))
    }
  },
  close(): void {
    dialog = undefined
  },
}
