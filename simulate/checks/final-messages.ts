import type { Message } from '@portico/contract'
import { isDone, type Exchange } from '../model/exchanges.ts'

export interface FinalMessage {
  readonly id: string
  readonly roomId: string
  readonly channelId: string
  readonly authorId: string
  readonly text: string
  readonly createdAt: string
}

/** What the owners of all channels read in the end, by the id of the message, newest first in every room. */
export function finalMessages(exchanges: readonly Exchange[]): Map<string, FinalMessage> {
  const messages = new Map<string, FinalMessage>()
  for (const exchange of exchanges) {
    if (exchange.operation !== 'read' || !exchange.isFinal || !isDone(exchange)) continue
    const { roomId, channelId } = exchange.args as { roomId: string; channelId: string }
    for (const { id, text, createdAt, author } of (exchange.body as { messages: Message[] }).messages) {
      messages.set(id, { id, roomId, channelId, authorId: author.id, text, createdAt })
    }
  }
  return messages
}
