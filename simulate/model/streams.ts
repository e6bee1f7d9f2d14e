import { exchangesOf, isDone, isRefused, type Exchange } from './exchanges.ts'
import type { Faults } from './fault-spans.ts'
import { groupBy } from './group-by.ts'
import type { Message, Texts } from './texts.ts'
import type { Run } from './exchanges.ts'

/** What a bot promises of a message that it writes, from the beginning on and in any second. */
export const STREAM_LIMITS = { atOnce: 3, appends: 10, silence: 60_000 } as const

/** A message that was begun and appended to. */
export interface Stream {
  readonly message: Message
  /** With which it was begun. */
  readonly beginning: string
  /** Not those that were refused. */
  readonly appends: readonly Exchange[]
  readonly refusals: readonly Exchange[]
  /** Not those that were refused. */
  readonly finishes: readonly Exchange[]
  /** The latest time at which something may have been appended. */
  readonly activeUntil: number
  /** When something was certainly written for the last time, at the earliest. */
  readonly activeFrom: number
}

/** All that were begun with an answer. */
export function streamsOf(run: Run, { messages }: Texts, faults: Faults): Stream[] {
  const appends = groupBy(exchangesOf(run, 'append'), messageOf)
  const finishes = groupBy(exchangesOf(run, 'finish'), messageOf)
  return [...messages.values()].flatMap((message) => {
    if (message.sent.operation !== 'startStream') return []
    const [refusals, own] = partition(appends.get(message.id) ?? [], isRefused)
    const attempts = exchangesOf(run, 'startStream').filter(
      ({ actor, idempotencyKey }) =>
        actor.id === message.authorId && idempotencyKey === message.sent.idempotencyKey && idempotencyKey !== undefined,
    )
    const writes = [message.sent, ...attempts, ...own]
    return {
      message,
      beginning: String(message.sent.args['text']),
      appends: own,
      refusals,
      finishes: (finishes.get(message.id) ?? []).filter((one) => !isRefused(one)),
      activeUntil: Math.max(...writes.map((one) => faults.latestEffect(one))),
      activeFrom: Math.max(message.from, ...own.filter(isDone).map(({ at }) => at)),
    }
  })
}

/** The numbers of the pieces in a text, with what they read. */
export function piecesIn(text: string): { readonly number: number; readonly text: string }[] {
  return [...text.matchAll(PIECE)].map(([piece, number]) => ({ number: Number(number), text: piece }))
}

const PIECE = /[^⟨]*⟨(\d+)⟩/g

function messageOf({ args }: Exchange): string {
  return String(args['messageId'])
}

function partition<T>(items: readonly T[], matches: (item: T) => boolean): [T[], T[]] {
  return [items.filter(matches), items.filter((item) => !matches(item))]
}
