import { readStored, writeStored } from '#storage/local-storage.ts'

let shown = $state(readStored('formatting', (value): value is boolean => typeof value === 'boolean') ?? false)

/** Whether this browser shows the formatting bar. */
export const formattingShown = {
  get current(): boolean {
    return shown
  },
  toggle(): void {
    shown = !shown
    writeStored('formatting', shown)
  },
}
