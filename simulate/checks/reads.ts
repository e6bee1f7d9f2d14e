import type { ReadPage } from '../model/compact-body.ts'
import { isDone, isRefused, isSending, type Exchange } from '../model/exchanges.ts'
import { markOf } from '../model/marks.ts'
import type { Message } from '../model/texts.ts'
import { groupBy } from '../model/group-by.ts'
import type { Check, Findings, Subject } from './violation.ts'

/** A page of history with the ids that it covers. */
interface Page {
  readonly exchange: Exchange
  /** Ids in the page are greater than `after` and smaller than `before`, or equal to those at its ends. */
  readonly from: string
  readonly before: string
  /** The mark of the text, by the id of the message. */
  readonly texts: ReadonlyMap<string, string>
}

const LOWEST = ''
const GREATEST = '~'

/** The messages of a room, in the order of their ids. */
class RoomMessages {
  readonly messages: readonly Message[]
  readonly #byId: ReadonlyMap<string, Message>
  /** For each message, when the first of it and those after it was acknowledged. */
  readonly #firstEnds: Float64Array

  constructor(messages: readonly Message[] = []) {
    this.messages = messages.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    this.#byId = new Map(messages.map((message) => [message.id, message]))
    this.#firstEnds = new Float64Array(messages.length)
    let first = Infinity
    for (let position = messages.length - 1; position >= 0; position -= 1) {
      first = Math.min(first, this.messages[position]?.sent.end ?? Infinity)
      this.#firstEnds[position] = first
    }
  }

  get(id: string): Message | undefined {
    return this.#byId.get(id)
  }

  /** Those that a page shows, or that it would have to show, as far as they are known. */
  *expectedIn({ exchange, from, before, texts }: Page): Generator<Message> {
    let shown = texts.keys().reduce((count, id) => count + (this.#byId.has(id) ? 1 : 0), 0)
    for (let position = firstFrom(this.messages, from); position < this.messages.length; position += 1) {
      const message = this.messages[position]
      if (!message || message.id >= before) return
      if (texts.has(message.id)) shown -= 1
      // Everything from here on was acknowledged later.
      else if (shown <= 0 && (this.#firstEnds[position] ?? Infinity) > exchange.at) return
      yield message
    }
  }
}

/** A read returns everything that was acknowledged before it, and a request without an answer has no effect after its deadline. */
export const checkReads: Check = (subject, findings) => {
  const messages = groupBy(subject.texts.messages.values(), ({ roomId }) => roomId)
  const open = groupBy(unanswered(subject.run.exchanges), ({ args }) => String(args['roomId']))
  for (const [roomId, pages] of groupBy(pagesOf(subject.run.exchanges), ({ exchange }) =>
    String(exchange.args['roomId']),
  )) {
    const known = new RoomMessages(messages.get(roomId))
    for (const page of pages) checkFreshness(page, known, subject, findings)
    checkDeadlines(open.get(roomId) ?? [], pages, known, subject, findings)
  }
}

function* pagesOf(exchanges: readonly Exchange[]): Generator<Page> {
  for (const exchange of exchanges) {
    const { operation, args } = exchange
    if ((operation !== 'read' && operation !== 'readHistory') || !isDone(exchange)) continue
    if (Object.keys(args).some((name) => !KNOWN_ARGS.has(name))) continue
    const { messages, hasMore } = exchange.body as ReadPage
    const texts = new Map(messages.map(({ id, text }) => [id, markOf(text)]))
    const oldest = messages.reduce((least, { id }) => (id < least ? id : least), GREATEST)
    const before = typeof args['beforeId'] === 'string' ? args['beforeId'] : GREATEST
    // A page that doesn’t say whether there is more covers what it contains.
    yield { exchange, texts, before, from: hasMore === false ? LOWEST : oldest }
  }
}

const KNOWN_ARGS: ReadonlySet<string> = new Set(['channelId', 'roomId', 'limit', 'beforeId'])

function checkFreshness(page: Page, known: RoomMessages, { timeline }: Subject, findings: Findings): void {
  const { exchange, texts } = page
  for (const message of known.expectedIn(page)) {
    const { sent, deletions } = message
    const shown = texts.get(message.id)
    if (shown === undefined) {
      if (sent.end > exchange.at || deletions.some(({ at }) => at < exchange.end)) continue
      if (timeline.existence(message.channelId, message.roomId).during(exchangeSpan(exchange)) !== 'yes') continue
      findings.violated('once', `${exchange.actor.name} did not get an acknowledged message`, sent, exchange)
      continue
    }
    findings.checked('once', 'messages as they were read')
    const last = message.texts.findLast(({ value }) => value === shown)
    const newer = message.texts.find(({ isSure, from, exchange: edit }) => {
      return isSure && from > (last?.to ?? -Infinity) && edit.end < exchange.at
    })
    if (!last)
      findings.violated('once', `${exchange.actor.name} got a text that nobody gave to a message`, sent, exchange)
    else if (newer) {
      findings.violated(
        'once',
        `${exchange.actor.name} got a text that had been replaced`,
        last.exchange,
        newer.exchange,
        exchange,
      )
    }
  }
}

function exchangeSpan({ at, end }: Exchange): { from: number; to: number } {
  return { from: at, to: end }
}

/** What got no answer, or was refused because it took too long, either happened by its deadline or never. */
function checkDeadlines(
  open: readonly Exchange[],
  pages: readonly Page[],
  known: RoomMessages,
  { faults, texts }: Subject,
  findings: Findings,
): void {
  if (open.length === 0) return
  const ids = new Map<string, string>()
  for (const page of pages) for (const [id, mark] of page.texts) ids.set(mark, id)
  for (const exchange of open) {
    const latest = isRefused(exchange) ? exchange.end : faults.latestEffect(exchange)
    const firstLater = pages.findLastIndex((page) => page.exchange.at <= latest) + 1
    if (firstLater === pages.length) continue
    findings.checked('once', 'reads after a deadline')
    const { text = '' } = exchange.args as { text?: string }
    const mark = markOf(text)
    // The same text may have been sent again.
    if ((texts.requests.get(mark)?.length ?? 1) > 1) continue
    const id = isSending(exchange) ? ids.get(mark) : String(exchange.args['messageId'])
    if (id === undefined) continue
    const isDeletion = exchange.operation === 'delete'
    if (isDeletion && otherDeletion(known, id, exchange)) continue
    const happened = (page: Page): boolean => (isDeletion ? !page.texts.has(id) : page.texts.get(id) === mark)
    const covering = pages.slice(firstLater).filter((page) => page.from <= id && id < page.before)
    const without = covering.find(
      (page) => !happened(page) && (isDeletion || isSending(exchange) || page.texts.has(id)),
    )
    const after = without && covering.find((page) => page.exchange.at > without.exchange.end && happened(page))
    if (after) {
      findings.violated(
        'once',
        `what got no answer in time happened later (${exchange.operation})`,
        exchange,
        without.exchange,
        after.exchange,
      )
    }
  }
}

function* unanswered(exchanges: readonly Exchange[]): Generator<Exchange> {
  for (const exchange of exchanges) {
    const { operation, status } = exchange
    if (!isSending(exchange) && operation !== 'edit' && operation !== 'delete') continue
    if (status === undefined || status >= 500) yield exchange
  }
}

function otherDeletion(known: RoomMessages, id: string, exchange: Exchange): boolean {
  const message = known.get(id)
  return !message || message.deletions.some((other) => other !== exchange)
}

/** The position of the first message whose id is not smaller. */
function firstFrom(messages: readonly Message[], id: string): number {
  let [low, high] = [0, messages.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((messages[middle]?.id ?? GREATEST) < id) low = middle + 1
    else high = middle
  }
  return low
}
