import { isDone, isRefused, isSending, type Exchange } from './exchanges.ts'
import type { Faults } from './fault-spans.ts'
import { markOf } from './marks.ts'
import { writeOf, type Write } from './writes.ts'

/** What happened to a message, as far as requests show it. */
export interface Message {
  readonly id: string
  readonly channelId: string
  readonly roomId: string
  readonly authorId: string
  /** The request that was acknowledged with this id first. */
  readonly sent: Exchange
  /** From when on it may have existed: a request with the same key may have been sent before, without an answer. */
  readonly from: number
  /** The marks that its text had, one after the other. */
  readonly texts: Write<string>[]
  /** Not refused. */
  readonly deletions: Exchange[]
  /** When its deletion was acknowledged; `Infinity` if it wasn’t. */
  deletedAt: number
}

/** All texts of a run, by the marks that tell them apart. */
export class Texts {
  readonly messages = new Map<string, Message>()
  /** Requests that sent a text with this mark, and edits that gave it to a message. */
  readonly requests = new Map<string, Exchange[]>()

  constructor(exchanges: readonly Exchange[], faults: Faults) {
    const firstOfKey = new Map<string, number>()
    for (const exchange of exchanges) {
      const { operation, args, actor, idempotencyKey } = exchange
      if (!isSending(exchange) && operation !== 'edit') continue
      const mark = markOf(String(args['text']))
      const requests = this.requests.get(mark)
      if (requests) requests.push(exchange)
      else this.requests.set(mark, [exchange])
      if (!isSending(exchange)) continue
      const key = idempotencyKey === undefined ? undefined : `${actor.id} ${idempotencyKey}`
      if (key !== undefined && !firstOfKey.has(key)) firstOfKey.set(key, exchange.at)
      if (!isDone(exchange)) continue
      const { id } = exchange.body as { id: string }
      if (this.messages.has(id)) continue
      const { channelId, roomId } = args as { channelId: string; roomId: string }
      const texts = [writeOf(exchange, mark, faults)].filter((write) => write !== undefined)
      const from = (key === undefined ? undefined : firstOfKey.get(key)) ?? exchange.at
      this.messages.set(id, {
        id,
        channelId,
        roomId,
        authorId: actor.id,
        sent: exchange,
        from,
        texts,
        deletions: [],
        deletedAt: Infinity,
      })
    }
    for (const exchange of exchanges) {
      const { operation, args } = exchange
      if ((operation !== 'edit' && operation !== 'delete') || isRefused(exchange)) continue
      const message = this.messages.get(String(args['messageId']))
      if (!message) continue
      if (operation === 'delete') {
        message.deletions.push(exchange)
        if (isDone(exchange)) message.deletedAt = Math.min(message.deletedAt, exchange.end)
      } else {
        const write = writeOf(exchange, markOf(String(args['text'])), faults)
        if (write) message.texts.push(write)
      }
    }
  }

  /** When its deletion was acknowledged; `Infinity` if it wasn’t. */
  deletedAt(id: string): number {
    return this.messages.get(id)?.deletedAt ?? Infinity
  }

  /** The messages that have had a text with this mark, as far as their ids are known. */
  messagesWith(mark: string): Message[] {
    return (this.requests.get(mark) ?? []).flatMap((request) => {
      const id = request.operation === 'edit' ? request.args['messageId'] : (request.body as { id?: string })?.id
      return this.messages.get(String(id)) ?? []
    })
  }
}
