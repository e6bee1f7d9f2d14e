import type { OwnChannel } from '@portico/contract'
import type { Component } from 'svelte'
import { explain } from '#explain.ts'
import { notify } from '#ui/notices.svelte.ts'

type LeaveChannel = Component<{ channel: OwnChannel; onclose: () => void }>

let dialog = $state.raw<{ ask: LeaveChannel; channel: OwnChannel }>()

/** The question whether to leave a channel: asked from several places, loaded when first asked for, shown by the shell. */
export const departure = {
  get asked(): { ask: LeaveChannel; channel: OwnChannel } | undefined {
    return dialog
  },
  async begin(channel: OwnChannel): Promise<void> {
    try {
      dialog = { ask: (await import('./LeaveChannel.svelte')).default, channel }
    } catch (error) {
      notify(() => explain(error))
    }
  },
  end(): void {
    dialog = undefined
  },
}
