import { api, typingStarted } from '@portico/contract'
import { memberOf } from '../operations/actor.ts'
import type { OwnTransactions } from '../operations/perform.ts'
import { authorize, type RoomPlace } from '../operations/authorize.ts'
import { publishToRoom } from '../events/ephemeral.ts'

/** In milliseconds. Clients send it every few seconds; more frequent calls publish nothing. */
const PAUSE = 3000
const MOST_REMEMBERED = 10_000

/** When typing was last published, by person and room, oldest first. */
const lately = new Map<string, number>()

/** Writes nothing, so it needs no transaction, and a crash may lose it. */
export const startTyping: OwnTransactions<typeof api.startTyping> = {
  ownTransactions: async (services, actor, input) => {
    const place = (await authorize(services, actor, input, api.startTyping.access)) as RoomPlace
    const { id, name } = memberOf(actor)
    if (isDue(`${id} ${place.roomId}`)) {
      const member = { id, name, channelNickname: place.nickname }
      await publishToRoom(services.bus, place, id, typingStarted, { roomId: place.roomId, member })
    }
    return { result: null }
  },
}

function isDue(key: string): boolean {
  const now = performance.now()
  if (now - (lately.get(key) ?? -Infinity) < PAUSE) return false
  lately.delete(key)
  lately.set(key, now)
  const [oldest] = lately.keys()
  if (lately.size > MOST_REMEMBERED && oldest !== undefined) lately.delete(oldest)
  return true
}
