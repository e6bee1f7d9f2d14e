import { host } from './host.ts'
import { showToast } from './toasts.svelte.ts'

/** A dialog whose component is loaded when it is first opened. `component` is set while it is open. */
export interface LazyDialog<Dialog> {
  readonly component: Dialog | undefined
  open(): Promise<void>
  close(): void
}

export function lazyDialog<Dialog>(load: () => Promise<{ default: Dialog }>): LazyDialog<Dialog> {
  let loaded: Dialog | undefined
  let component = $state.raw<Dialog>()
  return {
    get component() {
      return component
    },
    async open() {
      try {
        // No await once it is loaded: the next key is meant for the dialog.
        if (!loaded) loaded = (await load()).default
        component = loaded
      } catch (error) {
        showToast(() => host.explainError(error))
      }
    },
    close() {
      component = undefined
    },
  }
}
