import type { RoomMessage } from '@portico/contract'
import { Refused } from '#api/api.ts'
import type { PortalEvent } from '#live/portal-event.ts'
import type { MemberUpdate } from './message-changes.ts'
import { MessageWindow, type MessageEvent } from './message-window.svelte.ts'
import {
  fetchNewestPage,
  fetchUnreadOrNewest,
  fetchMessagePage,
  type CopiedPage,
  type OpenedPage,
  type InitialPosition,
  type Spot,
  type MessagePage,
} from './message-page.ts'

/** Returns what this browser has stored of a room. */
export type FindCopy = (roomId: string) => Promise<CopiedPage | undefined>

/** The messages of a room on this page: where they were opened, and what is requested as the reader scrolls. */
export class History {
  readonly channelId: string
  readonly roomId: string
  readonly window: MessageWindow
  readonly #myId: string
  readonly #findCopy: FindCopy
  #state = $state<'new' | 'loading' | 'ready' | 'failed'>('new')
  #error = $state.raw<unknown>()
  #initialPosition = $state.raw<InitialPosition>({ at: 'end' })
  #generation = $state(0)
  #isCopy = $state(false)
  /** Counts requests: an answer for another window is dropped. */
  #latest = 0
  #growing = false
  #meanwhile: PortalEvent<MessageEvent>[] = []
  /** Fetched before the room was opened. */
  #prefetched: { readonly page: MessagePage; readonly aroundId: string | undefined } | undefined
  /** The reader's scroll position. Absent: at the end. */
  spot: Spot | undefined
  /** Messages with a greater id were unread when the room was opened. */
  readUpTo = $state<string>()

  constructor(place: { channelId: string; roomId: string }, myId: string, findCopy: FindCopy = async () => undefined) {
    this.channelId = place.channelId
    this.roomId = place.roomId
    this.#myId = myId
    this.#findCopy = findCopy
    this.window = new MessageWindow(myId)
  }

  get messages(): readonly RoomMessage[] {
    return this.window.messages
  }

  get hasOlder(): boolean {
    return this.window.hasOlder
  }

  get hasNewer(): boolean {
    return this.window.hasNewer
  }

  get state(): 'new' | 'loading' | 'ready' | 'failed' {
    return this.#state
  }

  get error(): unknown {
    return this.#error
  }

  /** The messages are those that were last read here: the server couldn't be reached. */
  get isCopy(): boolean {
    return this.#isCopy
  }

  /** Increases whenever the window is opened elsewhere. */
  get generation(): number {
    return this.#generation
  }

  get initialPosition(): InitialPosition {
    return this.#initialPosition
  }

  /**
   * Takes messages that were fetched before the room is opened, at its end or around a message. Valid until an event
   * arrives.
   */
  usePrefetched(page: MessagePage, aroundId?: string): void {
    if (this.#state === 'new') this.#prefetched = { page, aroundId }
  }

  /** Shows what was last read here, unless there is something newer. */
  useCopy(page: CopiedPage): void {
    if (this.messages.length === 0) this.#accept({ ...page, initialPosition: { at: 'end' } })
  }

  /** Opens at the first unread message, or at the end. */
  async open(): Promise<void> {
    await this.#show(() => fetchUnreadOrNewest(this.roomId, this.#myId, this.#takePrefetched()))
  }

  async toPresent(): Promise<void> {
    await this.#show(async () => ({ ...(await fetchNewestPage(this.roomId)), initialPosition: { at: 'end' } }))
  }

  /** Opens around a message, without a request if it is loaded. */
  async openAround(messageId: string): Promise<void> {
    if (this.#state === 'ready' && this.window.has(messageId)) {
      this.#initialPosition = { at: 'message', messageId }
      this.#generation += 1
      return
    }
    await this.#show(async () => ({
      ...(this.#takePrefetched(messageId) ?? (await fetchMessagePage(this.roomId, { aroundId: messageId }))),
      initialPosition: { at: 'message', messageId },
    }))
  }

  /** The reader returns to a room whose messages are still in memory. */
  reopen(): void {
    this.#initialPosition = this.spot ? { at: 'spot', spot: this.spot } : { at: 'end' }
    this.#generation += 1
  }

  /** The account can’t see the room anymore. If it sees the room again, the messages come from the server. */
  forget(): void {
    if (this.#state === 'new') return
    // An answer that is on its way is dropped.
    this.#latest += 1
    this.#state = 'new'
    this.#prefetched = undefined
    this.spot = undefined
    this.window.replace({ messages: [], hasOlder: false, hasNewer: false, readUpTo: '' })
  }

  /** Events were lost for good: what is shown may be stale. */
  async catchUp(): Promise<void> {
    this.#prefetched = undefined
    const last = this.messages.at(-1)
    if (this.#state === 'new' || this.#state === 'loading') return
    if (!last || this.#state === 'failed' || (this.#isCopy && !this.spot)) return this.open()
    // If newer messages exist outside the window, the reader isn't at the end, even before the list says where.
    const initialPosition: InitialPosition = this.spot ? { at: 'spot', spot: this.spot } : this.#initialPosition
    if (initialPosition.at !== 'end' && (this.spot || this.hasNewer)) {
      const { messageId } = initialPosition.at === 'spot' ? initialPosition.spot : initialPosition
      return this.#show(async () => ({
        ...(await fetchMessagePage(this.roomId, { aroundId: messageId })),
        initialPosition,
      }))
    }
    await this.#extend(async () => {
      const newest = await fetchNewestPage(this.roomId)
      return async () => {
        if (!this.window.merge(newest)) this.#accept({ ...newest, initialPosition: { at: 'end' } })
      }
    })
  }

  async older(): Promise<void> {
    const [first] = this.messages
    if (!first || !this.hasOlder || !this.#canGrow()) return
    await this.#extend(async () => {
      const older = await fetchMessagePage(this.roomId, { beforeId: first.id })
      return () => this.window.addOlder(older)
    })
  }

  async newer(): Promise<void> {
    const last = this.messages.at(-1)
    if (!last || !this.hasNewer || !this.#canGrow()) return
    await this.#extend(async () => {
      const newer = await fetchMessagePage(this.roomId, { afterId: last.id })
      return () => this.window.addNewer(newer)
    })
  }

  apply(event: PortalEvent<MessageEvent>): void {
    this.#prefetched = undefined
    if (this.#state === 'loading' || this.#growing) this.#meanwhile.push(event)
    if (this.#state !== 'new') this.window.apply(event)
  }

  /** A member's name, picture or roles changed. */
  showMember(member: MemberUpdate): void {
    this.#prefetched = undefined
    this.window.showMember(member)
  }

  /** While another window is loading, pages of this one must not be added to it. */
  #canGrow(): boolean {
    return !this.#growing && this.#state !== 'loading'
  }

  #takePrefetched(aroundId?: string): MessagePage | undefined {
    const prefetched = this.#prefetched
    this.#prefetched = undefined
    return prefetched?.aroundId === aroundId ? prefetched?.page : undefined
  }

  async #show(load: () => Promise<OpenedPage>): Promise<void> {
    this.#latest += 1
    const request = this.#latest
    this.#state = 'loading'
    this.#meanwhile = []
    try {
      const window = await load()
      if (request === this.#latest) this.#accept(window)
    } catch (error) {
      const copy = this.messages.length === 0 && !(error instanceof Refused) && (await this.#findCopy(this.roomId))
      if (request !== this.#latest) return
      if (copy) return this.useCopy(copy)
      this.#error = error
      this.#state = 'failed'
    }
  }

  #accept(opened: OpenedPage): void {
    this.window.replace(opened)
    this.#initialPosition = opened.initialPosition
    this.#generation += 1
    this.#isCopy = 'isCopy' in opened
    this.readUpTo = opened.readUpTo
    this.#state = 'ready'
    this.#error = undefined
    this.#takeMeanwhile()
  }

  async #extend(load: () => Promise<() => Promise<void>>): Promise<void> {
    const request = this.#latest
    this.#growing = true
    this.#meanwhile = []
    try {
      const grow = await load()
      if (request === this.#latest) await grow()
    } catch (error) {
      // Shown only if there is nothing else to show; otherwise scrolling retries.
      if (request === this.#latest) this.#error = error
    } finally {
      this.#growing = false
      if (request === this.#latest) this.#takeMeanwhile()
    }
  }

  /** Events that arrived during the request may be missing from its answer. Applying an event twice changes nothing. */
  #takeMeanwhile(): void {
    const missed = this.#meanwhile
    this.#meanwhile = []
    for (const one of missed) this.window.apply(one)
  }
}
