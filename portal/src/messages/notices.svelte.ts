import type { Notice } from '@portico/contract'
import { subscribe } from '#live/live.svelte.ts'

/** How many of a room are shown: a new one takes the place of the oldest. */
const MOST = 10

let reader: string | undefined
let notices = $state.raw<readonly (Notice & { readonly roomId: string })[]>([])

/** What bots show in a room to the reader only, oldest first. */
export function noticesIn(roomId: string): readonly Notice[] {
  return notices.filter((notice) => notice.roomId === roomId)
}

/** Collects notices from here on, for all rooms. They are gone with the page, or when someone else signs in. */
export function followNotices(myId: string): void {
  if (reader === undefined) {
    subscribe('notice.shown', ({ data: { roomId, notice } }) => {
      const others = notices.filter((one) => !isSame(one, notice))
      const [oldest] = others.filter((one) => one.roomId === roomId).slice(0, 1 - MOST)
      notices = [...others.filter((one) => one !== oldest), { ...notice, roomId }]
    })
  }
  if (reader !== myId) notices = []
  reader = myId
}

export function dismiss(notice: Notice): void {
  notices = notices.filter((one) => !isSame(one, notice))
}

/** Ids are chosen by bots: only those of one bot are unique. */
function isSame(one: Notice, other: Notice): boolean {
  return one.id === other.id && one.author.id === other.author.id
}
