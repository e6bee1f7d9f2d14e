import type { RoomMessage } from '@portico/contract'
import { tick } from 'svelte'
import type { PortalEvent } from '#live/portal-event.ts'
import { changed, withMember, withoutQuoted, type MemberUpdate, type MessageChange } from './message-changes.ts'
import { PAGE, type MessagePage } from './message-page.ts'

/** How many messages of a room stay in memory. */
const MAX_MESSAGES = 300

export type MessageEvent = 'message.created' | 'message.deleted' | MessageChange

/**
 * The loaded messages of a room, consecutive and oldest first. The window grows and shrinks at both ends and applies
 * events.
 */
export class MessageWindow {
  readonly #myId: string
  #messages = $state.raw<readonly RoomMessage[]>([])
  #hasOlder = $state(false)
  #hasNewer = $state(false)
  #beyond = $state(0)
  /** The reader is at the end, so messages are dropped at the beginning. */
  followed = true

  constructor(myId: string) {
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

  /** The number of messages that arrived while newer ones weren't loaded. */
  get beyond(): number {
    return this.#beyond
  }

  has(messageId: string): boolean {
    return this.#messages.some(({ id }) => id === messageId)
  }

  replace({ messages, hasOlder, hasNewer }: MessagePage): void {
    this.#messages = messages
    this.#hasOlder = hasOlder
    this.#hasNewer = hasNewer
    this.#beyond = 0
  }

  async addOlder({ messages, hasOlder }: MessagePage): Promise<void> {
    const room = MAX_MESSAGES - messages.length
    if (this.#messages.length > room) {
      this.#hasNewer = true
      this.#messages = this.#messages.slice(0, room)
      // The list can tell growth at one end from growth at the other only if they come one after another.
      await tick()
    }
    this.#hasOlder = hasOlder
    this.#messages = [...messages, ...this.#messages]
  }

  async addNewer({ messages, hasNewer }: MessagePage): Promise<void> {
    this.#hasNewer = hasNewer
    if (!hasNewer) this.#beyond = 0
    const known = new Set(this.#messages.map(({ id }) => id))
    this.#messages = [...this.#messages, ...messages.filter(({ id }) => !known.has(id))]
    await this.#forgetBeginning(MAX_MESSAGES)
  }

  /**
   * Merges the newest page, so that nothing moves. Returns false and changes nothing if there is a gap between the two.
   */
  merge({ messages }: MessagePage): boolean {
    const [first] = messages
    if (!first || !this.has(first.id)) return false
    this.#messages = [...this.#messages.filter(({ id }) => id < first.id), ...messages]
    this.#hasNewer = false
    this.#beyond = 0
    return true
  }

  /** Applying an event twice changes nothing. */
  apply(event: PortalEvent<MessageEvent>): void {
    if (event.event === 'message.created') {
      const { replyToId: _, ...message } = event.data.message
      this.arrive({ ...message, ...event.shown, reactions: [] })
    } else if (event.event === 'message.deleted') {
      const { id } = event.data.message
      this.#messages = this.#messages
        .filter((message) => message.id !== id)
        .map((message) => withoutQuoted(message, id))
    } else {
      const { id, to } = changed(event, this.#myId)
      this.change(id, to)
    }
  }

  /** Adds a message, either from an event or from the answer to sending it, whichever comes first. */
  arrive(message: RoomMessage): void {
    if (this.has(message.id)) return
    if (this.#hasNewer || (!this.followed && this.#messages.length >= MAX_MESSAGES)) {
      this.#hasNewer = true
      this.#beyond += 1
      return
    }
    const before = this.#messages.findLastIndex(({ id }) => id < message.id)
    this.#messages = this.#messages.toSpliced(before + 1, 0, message)
    if (this.followed) void this.#forgetBeginning(MAX_MESSAGES + PAGE)
  }

  /** A member's name, picture or roles changed. */
  showMember(member: MemberUpdate): void {
    this.#messages = this.#messages.map((message) => withMember(message, member))
  }

  /** Also shows what the reader does before its event arrives. */
  change(id: string, to: (message: RoomMessage) => RoomMessage): void {
    const index = this.#messages.findIndex((message) => message.id === id)
    const message = this.#messages[index]
    if (message) this.#messages = this.#messages.with(index, to(message))
  }

  async #forgetBeginning(most: number): Promise<void> {
    if (this.#messages.length <= most) return
    await tick()
    this.#hasOlder = true
    this.#messages = this.#messages.slice(-MAX_MESSAGES)
  }
}
