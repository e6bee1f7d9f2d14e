import { tick } from 'svelte'
import { call } from '#api.ts'
import { explain } from '#explain.ts'
import type { Told } from '#live/told.ts'
import { newKey } from './new-key.ts'
import { asRoomMessage, type RoomMessage } from './room-message.ts'

/** How many messages a room keeps in memory, and how many come at a time. */
const MOST = 300
const PAGE = 50

export type MessageEvent =
  | 'message.created'
  | 'message.updated'
  | 'message.deleted'
  | 'reaction.added'
  | 'reaction.removed'
  | 'message.pinned'
  | 'message.unpinned'

/** A message of one's own that the server does not have yet. */
export interface Unsent {
  readonly key: string
  readonly text: string
  readonly replyTo: RoomMessage | undefined
  readonly createdAt: string
  /** Why it was not sent. Absent while it is on its way. */
  readonly failure?: () => string
}

/** Where a reader left a room: this message at this distance below the upper edge. Absent: at the end. */
export interface Place {
  readonly messageId: string
  readonly distance: number
}

/** A window into the messages of one room, oldest first: it slides both ways and follows what happens. */
export class History {
  readonly channelId: string
  readonly roomId: string
  readonly #me: { readonly id: string; readonly name: string }
  #messages = $state.raw<readonly RoomMessage[]>([])
  #unsent = $state.raw<readonly Unsent[]>([])
  #hasOlder = $state(false)
  #hasNewer = $state(false)
  #state = $state<'new' | 'loading' | 'ready' | 'failed'>('new')
  #error = $state.raw<unknown>()
  /** Messages that came while the window ended before the present. */
  #beyond = $state(0)
  #busy = $state<'older' | 'newer'>()
  /** Keys of own messages, so that one keeps its row when it gets its id. */
  readonly #keys = new Map<string, string>()
  /** Counts windows: an answer that was asked for another one is dropped. */
  #window = 0
  #meanwhile: Told<MessageEvent>[] = []
  /** Whether the reader is at the end: then the far side is the beginning. */
  followed = true
  place: Place | undefined

  constructor(place: { channelId: string; roomId: string }, me: { id: string; name: string }) {
    this.channelId = place.channelId
    this.roomId = place.roomId
    this.#me = me
  }

  get messages(): readonly RoomMessage[] {
    return this.#messages
  }

  get unsent(): readonly Unsent[] {
    return this.#unsent
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

  get beyond(): number {
    return this.#beyond
  }

  get busy(): 'older' | 'newer' | undefined {
    return this.#busy
  }

  keyOf(message: RoomMessage): string {
    return this.#keys.get(message.id) ?? message.id
  }

  /** The newest messages. */
  async toPresent(): Promise<void> {
    await this.#show(async () => {
      const { messages, hasOlder, hasNewer } = await this.#ask({})
      return { messages, hasOlder, hasNewer }
    })
  }

  async older(): Promise<void> {
    const [first] = this.#messages
    if (!first || !this.#hasOlder || this.#busy) return
    await this.#extend('older', async () => {
      const { messages, hasOlder } = await this.#ask({ beforeId: first.id })
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

  /** Events were missed: what is shown may be old. */
  async catchUp(): Promise<void> {
    if (this.#state !== 'new') await this.toPresent()
  }

  async send(text: string, replyTo: RoomMessage | undefined): Promise<void> {
    if (this.#hasNewer) await this.toPresent()
    await this.#deliver({ key: newKey(), text, replyTo, createdAt: new Date().toISOString() })
  }

  async retry(key: string): Promise<void> {
    const unsent = this.#unsent.find((one) => one.key === key)
    if (!unsent) return
    const { failure: _, ...again } = unsent
    await this.#deliver(again)
  }

  discard(key: string): void {
    this.#unsent = this.#unsent.filter((one) => one.key !== key)
  }

  apply(told: Told<MessageEvent>): void {
    if (this.#state === 'loading') this.#meanwhile.push(told)
    if (this.#state !== 'new') this.#take(told)
  }

  async #deliver(unsent: Unsent): Promise<void> {
    this.#unsent = [...this.#unsent.filter(({ key }) => key !== unsent.key), unsent]
    try {
      const message = await call(
        'POST /rooms/:roomId/messages',
        {
          channelId: this.channelId,
          roomId: this.roomId,
          text: unsent.text,
          ...(unsent.replyTo && { replyToId: unsent.replyTo.id }),
        },
        { idempotencyKey: unsent.key },
      )
      this.#arrive(asRoomMessage(message), unsent.key)
    } catch (error) {
      const failed = { ...unsent, failure: () => explain(error) }
      this.#unsent = this.#unsent.map((one) => (one.key === unsent.key ? failed : one))
    }
  }

  #take(told: Told<MessageEvent>): void {
    const { event, data } = told
    if (event === 'message.created') return this.#arrive(asRoomMessage(data.message))
    if (event === 'message.deleted') {
      this.#messages = this.#messages.filter(({ id }) => id !== data.message.id)
      return
    }
    if (event === 'message.updated') {
      const { id, text, editedAt } = data.message
      return this.#change(id, (message) => ({ ...message, text, editedAt }))
    }
    if (event === 'message.pinned' || event === 'message.unpinned') {
      const { messageId, pinnedAt } = data
      return this.#change(messageId, (message) => {
        const { pinnedAt: _, ...rest } = message
        return pinnedAt === undefined ? rest : { ...rest, pinnedAt }
      })
    }
    const { emoji, totalCount: count, user } = data
    this.#change(data.messageId, (message) => {
      const known = message.reactions
      const was = known.find((one) => one.emoji === emoji)
      const mine = user.id === this.#me.id ? event === 'reaction.added' : (was?.mine ?? false)
      const now = { emoji, count, mine }
      const reactions = was ? known.map((one) => (one.emoji === emoji ? now : one)) : [...known, now]
      return { ...message, reactions: reactions.filter((one) => one.count > 0) }
    })
  }

  #change(id: string, to: (message: RoomMessage) => RoomMessage): void {
    const index = this.#messages.findIndex((message) => message.id === id)
    const message = this.#messages[index]
    if (message) this.#messages = this.#messages.with(index, to(message))
  }

  /** A message that exists now: told by the server, or its answer to our own; either may come first. */
  #arrive(message: RoomMessage, key = this.#keyOnItsWay(message)): void {
    if (key !== undefined) {
      this.#keys.set(message.id, key)
      this.discard(key)
    }
    if (this.#messages.some(({ id }) => id === message.id)) return
    if (this.#hasNewer || (!this.followed && this.#messages.length >= MOST)) {
      this.#hasNewer = true
      this.#beyond += 1
      return
    }
    const before = this.#messages.findLastIndex(({ id }) => id < message.id)
    this.#messages = this.#messages.toSpliced(before + 1, 0, message)
    if (this.followed) void this.#forgetBeginning()
  }

  #keyOnItsWay({ author, text, replyTo }: RoomMessage): string | undefined {
    if (author.id !== this.#me.id) return undefined
    return this.#unsent.find((one) => !one.failure && one.text === text && one.replyTo?.id === replyTo?.id)?.key
  }

  async #forgetBeginning(): Promise<void> {
    if (this.#messages.length <= MOST + PAGE) return
    await tick()
    this.#hasOlder = true
    this.#messages = this.#messages.slice(-MOST)
  }

  async #ask(which: { beforeId?: string }) {
    const { channelId, roomId } = this
    const { messages, hasMore } = await call('GET /rooms/:roomId/messages', {
      channelId,
      roomId,
      limit: PAGE,
      ...which,
    })
    return { messages: messages.toReversed().map(asRoomMessage), hasOlder: hasMore, hasNewer: false }
  }

  async #show(load: () => Promise<{ messages: readonly RoomMessage[]; hasOlder: boolean; hasNewer: boolean }>) {
    this.#window += 1
    const window = this.#window
    this.#state = 'loading'
    this.#meanwhile = []
    try {
      const { messages, hasOlder, hasNewer } = await load()
      if (window !== this.#window) return
      this.#messages = messages
      this.#hasOlder = hasOlder
      this.#hasNewer = hasNewer
      this.#beyond = 0
      this.#state = 'ready'
      this.#error = undefined
      for (const told of this.#meanwhile) this.#take(told)
    } catch (error) {
      if (window !== this.#window) return
      this.#error = error
      this.#state = 'failed'
    } finally {
      if (window === this.#window) this.#meanwhile = []
    }
  }

  async #extend(way: 'older' | 'newer', load: () => Promise<() => Promise<void>>): Promise<void> {
    const window = this.#window
    this.#busy = way
    try {
      const grow = await load()
      if (window === this.#window) await grow()
    } finally {
      this.#busy = undefined
    }
  }
}
