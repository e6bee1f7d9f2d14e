import type { RoomMessage } from '@portico/contract'
import { api } from '#api/api.ts'
import { explainError } from '#api/explain-error.ts'
import { markedName } from '#members/marked-name.ts'
import { m } from '#paraglide/messages.js'

const NAMED = 6

/** The names of those who reacted: "Ada, Boris and 3 more". */
export async function whoReacted(roomId: string, message: RoomMessage, emoji: string): Promise<string> {
  try {
    const { reactions } = await api.listReactors({
      roomId,
      messageId: message.id,
    })
    const kind = reactions.find((one) => one.emoji === emoji)
    if (!kind) return emoji
    const names = kind.members.slice(0, NAMED).map(markedName).join(', ')
    const others = kind.count - Math.min(NAMED, kind.members.length)
    return others > 0 ? m.reacted_and_more({ names, count: others }) : names
  } catch (error) {
    return explainError(error)
  }
}
