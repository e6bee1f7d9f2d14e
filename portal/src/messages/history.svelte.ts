import type { RoomMessage, Speaker } from '@portico/contract'
import type { PortalEvent } from '#live/portal-event.ts'
import { MessageWindow, type MessageEvent } from './message-window.svelte.ts'
import {
  fetchNewestPage,
  fetchUnreadOrNewest,
  fetchMessagePage,
  type Opened,
  type Opening,
  type Spot,
  type MessagePage,
} from './message-page.ts'

/** What a page knows of a room's messages: where they were opened, and what it asks the server for as the reader goes. */
export class History {
  readonly channelId: string
  readonly roomId: string
  readonly window: MessageWindow
  readonly #myId: string
  #state = $state<'new' | 'loading' | 'ready' | 'failed'>('new')
  #error = $state.raw<unknown>()
  #opening = $state.raw<Opening>({ at: 'end' })
  #generation = $state(0)
  /** Counts what was asked for: an answer for another window is dropped. */
  #asked = 0
  #growing = false
  #meanwhile: PortalEvent<MessageEvent>[] = []
  /** Read before the room was opened. */
  #foreseen: { readonly stretch: MessagePage; readonly aroundId: string | undefined } | undefined
  /** Where the reader is. Absent: at the end. */
  spot: Spot | undefined
  /** Messages with a greater id are new to the reader, as of when the room was opened. */
  readUpTo = $state<string>()

  constructor(place: { channelId: string; roomId: string }, myId: string) {
    this.channelId = place.channelId
    this.roomId = place.roomId
    this.#myId = myId
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

  /** Which window this is: rises when it is opened elsewhere. */
  get generation(): number {
    return this.#generation
  }

  get opening(): Opening {
    return this.#opening
  }

  /** Takes what was read before the room is opened, at its end or around a message: good until something happens in it. */
  foresee(stretch: MessagePage, aroundId?: string): void {
    if (this.#state === 'new') this.#foreseen = { stretch, aroundId }
  }

  /** What is new to the reader, or the end when nothing is. */
  async open(): Promise<void> {
    await this.#show(() => fetchUnreadOrNewest(this.roomId, this.#myId, this.#takeForeseen()))
  }

  async toPresent(): Promise<void> {
    await this.#show(async () => ({ ...(await fetchNewestPage(this.roomId)), opening: { at: 'end' } }))
  }

  /** Opens around a message, without asking for it when it is in memory. */
  async openAround(messageId: string): Promise<void> {
    if (this.#state === 'ready' && this.window.has(messageId)) {
      this.#opening = { at: 'message', messageId }
      this.#generation += 1
      return
    }
    await this.#show(async () => ({
      ...(this.#takeForeseen(messageId) ?? (await fetchMessagePage(this.roomId, { aroundId: messageId }))),
      opening: { at: 'message', messageId },
    }))
  }

  /** The reader comes back to a room whose messages are still in memory. */
  reopen(): void {
    this.#opening = this.spot ? { at: 'spot', spot: this.spot } : { at: 'end' }
    this.#generation += 1
  }

  /** Events were missed for good: what is shown may be old. */
  async catchUp(): Promise<void> {
    this.#foreseen = undefined
    const last = this.messages.at(-1)
    if (this.#state === 'new' || this.#state === 'loading') return
    if (!last || this.#state === 'failed') return this.open()
    // A reader whose window ends before the present is not at the end, even before the list says where.
    const opening: Opening = this.spot ? { at: 'spot', spot: this.spot } : this.#opening
    if (opening.at !== 'end' && (this.spot || this.hasNewer)) {
      const { messageId } = opening.at === 'spot' ? opening.spot : opening
      return this.#show(async () => ({ ...(await fetchMessagePage(this.roomId, { aroundId: messageId })), opening }))
    }
    await this.#extend(async () => {
      const newest = await fetchNewestPage(this.roomId)
      return async () => {
        if (!this.window.merge(newest)) this.#accept({ ...newest, opening: { at: 'end' } })
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
    this.#foreseen = undefined
    if (this.#state === 'loading' || this.#growing) this.#meanwhile.push(event)
    if (this.#state !== 'new') this.window.apply(event)
  }

  /** Somebody is called or looks different from now on. */
  showMember(member: Speaker): void {
    this.#foreseen = undefined
    this.window.showMember(member)
  }

  /** While another window is on its way, what belongs to this one would grow into that. */
  #canGrow(): boolean {
    return !this.#growing && this.#state !== 'loading'
  }

  #takeForeseen(aroundId?: string): MessagePage | undefined {
    const foreseen = this.#foreseen
    this.#foreseen = undefined
    return foreseen?.aroundId === aroundId ? foreseen?.stretch : undefined
  }

  async #show(load: () => Promise<Opened>): Promise<void> {
    this.#asked += 1
    const asked = this.#asked
    this.#state = 'loading'
    this.#meanwhile = []
    try {
      const window = await load()
      if (asked === this.#asked) this.#accept(window)
    } catch (error) {
      if (asked !== this.#asked) return
      this.#error = error
      this.#state = 'failed'
    }
  }

  #accept(opened: Opened): void {
    this.window.replace(opened)
    this.#opening = opened.opening
    this.#generation += 1
    this.readUpTo = opened.readUpTo
    this.#state = 'ready'
    this.#error = undefined
    this.#takeMeanwhile()
  }

  async #extend(load: () => Promise<() => Promise<void>>): Promise<void> {
    const asked = this.#asked
    this.#growing = true
    this.#meanwhile = []
    try {
      const grow = await load()
      if (asked === this.#asked) await grow()
    } catch (error) {
      // Shown where there is nothing else to show; otherwise scrolling on asks again.
      if (asked === this.#asked) this.#error = error
    } finally {
      this.#growing = false
      if (asked === this.#asked) this.#takeMeanwhile()
    }
  }

  /** What was event while an answer was on its way may be missing in it; to be event twice changes nothing. */
  #takeMeanwhile(): void {
    const missed = this.#meanwhile
    this.#meanwhile = []
    for (const one of missed) this.window.apply(one)
  }
}
