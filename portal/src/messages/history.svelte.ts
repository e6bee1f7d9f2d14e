import type { RoomMessage, Speaker } from '@portico/contract'
import { tick } from 'svelte'
import type { Told } from '#live/told.ts'
import { changed, withEdit, withMember, withoutQuoted, withReaction, type MessageChange } from './message-changes.ts'
import {
  askNewest,
  askNewOrEnd,
  askStretch,
  PAGE,
  type Opened,
  type Opening,
  type Spot,
  type Stretch,
} from './stretch.ts'

/** How many messages a room keeps in memory. */
const MOST = 300

export type MessageEvent = 'message.created' | 'message.deleted' | MessageChange

/** A window into the messages of one room, oldest first: it slides both ways and follows what happens. */
export class History {
  readonly channelId: string
  readonly roomId: string
  readonly #myId: string
  #messages = $state.raw<readonly RoomMessage[]>([])
  #hasOlder = $state(false)
  #hasNewer = $state(false)
  #state = $state<'new' | 'loading' | 'ready' | 'failed'>('new')
  #error = $state.raw<unknown>()
  #beyond = $state(0)
  #busy = $state<'older' | 'newer'>()
  #opening = $state.raw<Opening>({ at: 'end' })
  #generation = $state(0)
  /** Counts what was asked for: an answer for another window is dropped. */
  #asked = 0
  #meanwhile: Told<MessageEvent>[] = []
  /** Read before the room was opened. */
  #foreseen: { readonly stretch: Stretch; readonly aroundId: string | undefined } | undefined
  /** Whether the reader is at the end: then the beginning is the far side. */
  followed = true
  /** Where the reader is. Absent: at the end. */
  spot: Spot | undefined
  /** Messages with a greater id are new to the reader, as of when the room was opened. */
  readUpTo = $state<string>()

  constructor(place: { channelId: string; roomId: string }, myId: string) {
    this.channelId = place.channelId
    this.roomId = place.roomId
    this.#myId = myId
  }

  get messages(): readonly RoomMessage[] {
    return this.#messages
  }

  get hasOlder(): boolean {
    return this.#hasOlder
  }

  get hasNewer(): boolean {
    return this.#hasNewer
  }

  get state(): 'new' | 'loading' | 'ready' | 'failed' {
    return this.#state
  }

  get error(): unknown {
    return this.#error
  }

  /** Messages that came while the window ended before the present. */
  get beyond(): number {
    return this.#beyond
  }

  get busy(): 'older' | 'newer' | undefined {
    return this.#busy
  }

  /** Which window this is: rises when it is opened elsewhere. */
  get generation(): number {
    return this.#generation
  }

  get opening(): Opening {
    return this.#opening
  }

  /** Takes what was read before the room is opened, at its end or around a message: good until something happens in it. */
  foresee(stretch: Stretch, aroundId?: string): void {
    if (this.#state === 'new') this.#foreseen = { stretch, aroundId }
  }

  /** What is new to the reader, or the end when nothing is. */
  async open(): Promise<void> {
    await this.#show(() => askNewOrEnd(this.roomId, this.#myId, this.#takeForeseen()))
  }

  async toPresent(): Promise<void> {
    await this.#show(async () => ({ ...(await askNewest(this.roomId)), opening: { at: 'end' } }))
  }

  /** Opens around a message, without asking for it when it is in memory. */
  async openAround(messageId: string): Promise<void> {
    if (this.#state === 'ready' && this.#messages.some(({ id }) => id === messageId)) {
      this.#opening = { at: 'message', messageId }
      this.#generation += 1
      return
    }
    await this.#show(async () => ({
      ...(this.#takeForeseen(messageId) ?? (await askStretch(this.roomId, { aroundId: messageId }))),
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
    const last = this.#messages.at(-1)
    if (this.#state === 'new' || this.#state === 'loading') return
    if (!last || this.#state === 'failed') return this.open()
    // A reader whose window ends before the present is not at the end, even before the list says where.
    const opening: Opening = this.spot ? { at: 'spot', spot: this.spot } : this.#opening
    if (opening.at !== 'end' && (this.spot || this.#hasNewer)) {
      const { messageId } = opening.at === 'spot' ? opening.spot : opening
      return this.#show(async () => ({ ...(await askStretch(this.roomId, { aroundId: messageId })), opening }))
    }
    await this.#extend('newer', async () => {
      const newest = await askNewest(this.roomId)
      return async () => this.#merge(newest)
    })
  }

  async older(): Promise<void> {
    const [first] = this.#messages
    if (!first || !this.#hasOlder || !this.#canGrow()) return
    await this.#extend('older', async () => {
      const { messages, hasOlder } = await askStretch(this.roomId, { beforeId: first.id })
      return async () => {
        const room = MOST - messages.length
        if (this.#messages.length > room) {
          this.#hasNewer = true
          this.#messages = this.#messages.slice(0, room)
          // The list tells growth at one end from growth at the other only when they come one after another.
          await tick()
        }
        this.#hasOlder = hasOlder
        this.#messages = [...messages, ...this.#messages]
      }
    })
  }

  async newer(): Promise<void> {
    const last = this.#messages.at(-1)
    if (!last || !this.#hasNewer || !this.#canGrow()) return
    await this.#extend('newer', async () => {
      const { messages, hasNewer } = await askStretch(this.roomId, { afterId: last.id })
      return async () => {
        this.#hasNewer = hasNewer
        if (!hasNewer) this.#beyond = 0
        const known = new Set(this.#messages.map(({ id }) => id))
        this.#messages = [...this.#messages, ...messages.filter(({ id }) => !known.has(id))]
        await this.#forgetBeginning(MOST)
      }
    })
  }

  apply(told: Told<MessageEvent>): void {
    this.#foreseen = undefined
    if (this.#state === 'loading' || this.#busy) this.#meanwhile.push(told)
    if (this.#state !== 'new') this.#take(told)
  }

  /** Shows what the server has agreed to, or will be asked to, before it is told. */
  showEdit(id: string, text: string, editedAt: string): void {
    this.#change(id, (message) => withEdit(message, text, editedAt))
  }

  showReaction(id: string, emoji: string, mine: boolean): void {
    this.#change(id, (message) => {
      const was = message.reactions.find((one) => one.emoji === emoji)
      const count = (was?.count ?? 0) + (mine ? 1 : -1) * Number(mine !== (was?.mine ?? false))
      return withReaction(message, { emoji, count, mine })
    })
  }

  /** Somebody is called or looks different from now on. */
  showMember(member: Speaker): void {
    this.#foreseen = undefined
    this.#messages = this.#messages.map((message) => withMember(message, member))
  }

  /** A message that exists now: told by the server, or its answer to our own; either may come first. */
  arrive(message: RoomMessage): void {
    if (this.#messages.some(({ id }) => id === message.id)) return
    if (this.#hasNewer || (!this.followed && this.#messages.length >= MOST)) {
      this.#hasNewer = true
      this.#beyond += 1
      return
    }
    const before = this.#messages.findLastIndex(({ id }) => id < message.id)
    this.#messages = this.#messages.toSpliced(before + 1, 0, message)
    if (this.followed) void this.#forgetBeginning(MOST + PAGE)
  }

  #take(told: Told<MessageEvent>): void {
    if (told.event === 'message.created') {
      const { id, text, createdAt } = told.data.message
      const { author, replyTo, mentions } = told.shown
      this.arrive({ id, text, createdAt, author, mentions, reactions: [], ...(replyTo && { replyTo }) })
    } else if (told.event === 'message.deleted') {
      const { id } = told.data.message
      this.#messages = this.#messages
        .filter((message) => message.id !== id)
        .map((message) => withoutQuoted(message, id))
    } else {
      const { id, to } = changed(told, this.#myId)
      this.#change(id, to)
    }
  }

  #change(id: string, to: (message: RoomMessage) => RoomMessage): void {
    const index = this.#messages.findIndex((message) => message.id === id)
    const message = this.#messages[index]
    if (message) this.#messages = this.#messages.with(index, to(message))
  }

  /** The newest page over what is known: where they meet nothing moves, else the window is opened anew at the end. */
  #merge(newest: Stretch): void {
    const [first] = newest.messages
    if (!first || !this.#messages.some(({ id }) => id === first.id)) {
      this.#accept({ ...newest, opening: { at: 'end' } })
      return
    }
    this.#messages = [...this.#messages.filter(({ id }) => id < first.id), ...newest.messages]
    this.#hasNewer = false
    this.#beyond = 0
  }

  /** While another window is on its way, what belongs to this one would grow into that. */
  #canGrow(): boolean {
    return this.#busy === undefined && this.#state !== 'loading'
  }

  async #forgetBeginning(most: number): Promise<void> {
    if (this.#messages.length <= most) return
    await tick()
    this.#hasOlder = true
    this.#messages = this.#messages.slice(-MOST)
  }

  #takeForeseen(aroundId?: string): Stretch | undefined {
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

  #accept({ messages, hasOlder, hasNewer, readUpTo, opening }: Opened): void {
    this.#messages = messages
    this.#hasOlder = hasOlder
    this.#hasNewer = hasNewer
    this.#beyond = 0
    this.#opening = opening
    this.#generation += 1
    this.readUpTo = readUpTo
    this.#state = 'ready'
    this.#error = undefined
    this.#takeMeanwhile()
  }

  async #extend(way: 'older' | 'newer', load: () => Promise<() => Promise<void>>): Promise<void> {
    const asked = this.#asked
    this.#busy = way
    this.#meanwhile = []
    try {
      const grow = await load()
      if (asked === this.#asked) await grow()
    } catch (error) {
      // Shown where there is nothing else to show; otherwise scrolling on asks again.
      if (asked === this.#asked) this.#error = error
    } finally {
      this.#busy = undefined
      if (asked === this.#asked) this.#takeMeanwhile()
    }
  }

  /** What was told while an answer was on its way may be missing in it; to be told twice changes nothing. */
  #takeMeanwhile(): void {
    const told = this.#meanwhile
    this.#meanwhile = []
    for (const one of told) this.#take(one)
  }
}
