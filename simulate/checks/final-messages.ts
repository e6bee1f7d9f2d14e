import type { ReadMessage, ReadPage } from '../model/compact-body.ts'
import { isDone, type Exchange } from '../model/exchanges.ts'

export interface FinalMessage extends ReadMessage {
  readonly roomId: string
  readonly channelId: string
}

export interface FinalReads {
  /** By the id of the message, newest first in every room. */
  readonly messages: ReadonlyMap<string, FinalMessage>
  /** The rooms that were read to their first message. */
  readonly rooms: ReadonlySet<string>
}

const known = new WeakMap<readonly Exchange[], FinalReads>()

/** What the owners of all channels read in the end. */
export function finalReads(exchanges: readonly Exchange[]): FinalReads {
  let reads = known.get(exchanges)
  if (!reads) known.set(exchanges, (reads = findFinalReads(exchanges)))
  return reads
}

function findFinalReads(exchanges: readonly Exchange[]): FinalReads {
  const messages = new Map<string, FinalMessage>()
  const rooms = new Set<string>()
  for (const exchange of exchanges) {
    if (exchange.operation !== 'read' || !exchange.isFinal || !isDone(exchange)) continue
    const { roomId, channelId } = exchange.args as { roomId: string; channelId: string }
    const page = exchange.body as ReadPage
    for (const message of page.messages) messages.set(message.id, { ...message, roomId, channelId })
    if (!page.hasMore) rooms.add(roomId)
  }
  return { messages, rooms }
}
