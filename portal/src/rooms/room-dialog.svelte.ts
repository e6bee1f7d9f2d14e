import type { Room } from '@portico/contract'
import type { Component } from 'svelte'
import { explainError } from '#api/explain-error.ts'
import { showToast } from '#ui/toasts.svelte.ts'

/** The room to edit, or without one the category of a new room. */
export interface RoomDialogTarget {
  readonly channelId: string
  readonly roomId?: string
  readonly categoryId?: string
}

type RoomDialog = Component<
  RoomDialogTarget & { oncreated: (channelId: string, room: Room) => void; onclose: () => void }
>

let component = $state.raw<RoomDialog>()
let target = $state.raw<RoomDialogTarget>()

/** The dialog that creates or edits a room from the sidebar: loaded when it is first opened, shown by the shell. */
export const roomDialog = {
  get component(): RoomDialog | undefined {
    return component
  },
  get target(): RoomDialogTarget | undefined {
    return target
  },
  async open(wanted: RoomDialogTarget): Promise<void> {
    try {
      component ??= (await import('#channel-settings/rooms/RoomDialog.svelte')).default
      target = wanted
    } catch (error) {
      showToast(() => explainError(error))
    }
  },
  close(): void {
    target = undefined
  },
}
