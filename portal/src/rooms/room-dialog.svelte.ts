/** The room to edit, or without one the category of a new room. */
export interface RoomDialogTarget {
  readonly channelId: string
  readonly roomId?: string
  readonly categoryId?: string
}

let target = $state.raw<RoomDialogTarget>()

/** What the dialog that creates or edits a room is open for. The shell shows it. */
export const roomDialog = {
  get target(): RoomDialogTarget | undefined {
    return target
  },
  open(wanted: RoomDialogTarget): void {
    target = wanted
  },
  close(): void {
    target = undefined
  },
}
