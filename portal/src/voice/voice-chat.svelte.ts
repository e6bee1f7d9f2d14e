import { MediaQuery } from 'svelte/reactivity'
import { readStored, writeStored } from '#storage/local-storage.ts'

const STORED = 'voice-chat'
const wide = new MediaQuery('min-width: 1081px')
let wanted = $state(readStored(STORED, (value): value is boolean => typeof value === 'boolean') ?? true)
/** On a narrow screen it takes the place of the people, so it opens only when asked for. */
let opened = $state(false)

/** Whether the chat of a voice room is open. */
export const voiceChat = {
  get open(): boolean {
    return wide.current ? wanted : opened
  },
  show(open: boolean): void {
    if (!wide.current) {
      opened = open
      return
    }
    wanted = open
    writeStored(STORED, open)
  },
}
