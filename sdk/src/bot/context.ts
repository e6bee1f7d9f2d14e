import type { CallOptions } from '../client/call-options.ts'
import type { Client } from '../client/client.ts'
import { PorticoError } from '../client/errors.ts'
import type { BotEvent, EventName, MessageEventName } from '../events/event.ts'
import { withFiles, type NewFile } from './with-files.ts'
import { idempotencyKey, uuidOf } from './idempotency-key.ts'
import type { KnownBots } from './known-bots.ts'
import { MessageStream } from './message-stream.ts'
import { RetryLaterError } from './retry.ts'
import type { SessionDraft } from './sessions.ts'
import type {
  Author,
  Card,
  Component,
  EditedMessage,
  EventData,
  FinishedMessage,
  Message,
  Mute,
  ShownNotice,
} from '../client/resources.ts'

/** What moderation takes in addition to who it is about. */
export interface ModerationOptions extends CallOptions {
  /** For the channel's audit log. */
  readonly reason?: string
}

/** What a notice can have in addition to its text. */
export interface NoticeOptions extends CallOptions {
  /** Shown below the text. At most 5, with 6,000 characters in all. */
  readonly cards?: Card[]
  /** Buttons and selects, at most 10: see `bot.button` and `bot.select`. */
  readonly components?: Component[]
}

/** What a message can have in addition to its text. */
export interface MessageOptions extends NoticeOptions {
  /** Uploaded before the message is sent, and shown below its text. */
  readonly files?: readonly NewFile[]
}

/** What is needed to make a context. */
export interface ContextOptions<Name extends EventName> {
  readonly client: Client
  readonly knownBots: KnownBots
  readonly event: BotEvent<Name>
  /** Names the handler that it is for, among those of the bot. */
  readonly handler: string
  /** If the bot has sessions, and the event has one. */
  readonly session?: SessionDraft | undefined
}

/** What a handler gets besides the event. */
export class Context<Name extends EventName = EventName> {
  readonly client: Client
  readonly event: BotEvent<Name>
  readonly channelId: string
  readonly #handler: string
  readonly #session: SessionDraft | undefined
  /** How many messages the handler has sent, by room. */
  readonly #sent = new Map<string, number>()
  /** How many notices the handler has shown. */
  #shown = 0
  /** How many messages the handler has written piece by piece. */
  #streams = 0

  constructor({ client, event, handler, session }: ContextOptions<Name>) {
    this.client = client
    this.event = event
    this.channelId = event.channelId
    this.#handler = handler
    this.#session = session
  }

  /** The id of the event: the same every time that it is delivered. */
  get id(): string {
    return this.event.id
  }

  /** When it happened: ISO-8601, UTC. */
  get timestamp(): string {
    return this.event.timestamp
  }

  /** What the event says: see docs/events.md. */
  get data(): EventData[Name] {
    return this.event.data
  }

  /** What the bot remembers: see the option `session` of `Bot`. */
  get session(): unknown {
    return this.#draft.value
  }

  set session(session: unknown) {
    this.#draft.value = session
  }

  get #draft(): SessionDraft {
    if (this.#session) return this.#session
    throw new PorticoError(
      `There is no session for ${this.event.event}: the option session of the bot, or its key, gives it one.`,
    )
  }

  /**
   * Sends a message to a room of the channel. If the handler is run again for the event, the message isn't sent twice, even if
   * its text has changed: the first message is returned. Messages are distinguished by their order in the room.
   */
  async send(
    roomId: string,
    text: string,
    options: MessageOptions & { readonly replyToId?: string } = {},
  ): Promise<Message> {
    const { replyToId, cards, components, files, ...call }: Writable<typeof options> = options
    const position = (this.#sent.get(roomId) ?? 0) + 1
    this.#sent.set(roomId, position)
    if (call.idempotencyKey === undefined) {
      call.idempotencyKey = await idempotencyKey(this.event.id, this.#handler, roomId, position)
      call.idempotencyCompare = 'key'
    }
    const optional = { ...(replyToId !== undefined && { replyToId }), ...(cards && { cards }) }
    const written = await withFiles(this.client, roomId, text, files, call)
    const message = { channelId: this.channelId, roomId, text: written, ...optional, ...(components && { components }) }
    return this.client.sendMessage(message, call)
  }

  /**
   * Shows something in a room to one person only, for as long as they have the portal open. If the handler is run again for the
   * event, the notice takes the place of the earlier one.
   */
  async showNotice(roomId: string, userId: string, text: string, options?: NoticeOptions): Promise<ShownNotice> {
    this.#shown += 1
    const noticeId = uuidOf(await idempotencyKey(this.event.id, this.#handler, 'notice', this.#shown))
    return this.replaceNotice(noticeId, roomId, userId, text, options)
  }

  /** Shows something in place of an earlier notice, if that is still there. */
  protected replaceNotice(
    noticeId: string,
    roomId: string,
    userId: string,
    text: string,
    { cards, components, ...call }: NoticeOptions = {},
  ): Promise<ShownNotice> {
    const optional = { ...(cards && { cards }), ...(components && { components }) }
    return this.client.showNotice({ channelId: this.channelId, roomId, userId, text, noticeId, ...optional }, call)
  }

  /**
   * Writes a message to a room of the channel piece by piece, while people see it grow. If the handler is run again for the event,
   * it continues the message as long as it writes the same text, and otherwise begins another.
   */
  async streamTo(roomId: string, options: CallOptions & { readonly replyToId?: string } = {}): Promise<MessageStream> {
    this.#streams += 1
    const key = await idempotencyKey(this.event.id, this.#handler, 'stream', roomId, this.#streams)
    const { client, channelId } = this
    const once = { idempotencyKey: key, idempotencyCompare: 'key' } as const
    return new MessageStream({ client, channelId, roomId, ...once, ...options })
  }

  /**
   * Ends the handler, and has it run again with the same event, such as when something else than the portal is away. Later
   * events of the room wait. `onError` gets the `cause` if it was in vain.
   */
  retryLater(options?: { readonly afterSec?: number; readonly cause?: unknown }): never {
    throw new RetryLaterError(options)
  }
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

/** Who wrote a message, reacted to it or pressed one of its buttons. */
export interface MessageAuthor extends Author {
  /**
   * Whether it is the bot of another application. Read from the member list of the channel and then remembered; needs the scope
   * `channel:read`. False for someone who has left meanwhile.
   */
  isBot(): Promise<boolean>
}

/** What a handler gets besides an event about a message. */
export class MessageContext<Name extends MessageEventName = MessageEventName> extends Context<Name> {
  readonly roomId: string
  readonly messageId: string
  /** Who wrote the message, reacted to it or pressed one of its buttons. */
  readonly author: MessageAuthor

  constructor(options: ContextOptions<Name>) {
    super(options)
    const data: EventData[MessageEventName] = this.event.data
    this.roomId = data.roomId
    this.messageId = 'message' in data ? data.message.id : (data.messageId ?? '')
    const { id, name } = 'message' in data ? data.message.author : data.user
    this.author = { id, name, isBot: () => options.knownBots.isBot(this.channelId, id) }
  }

  /** Replies to the message, once: see `send`. */
  reply(text: string, options?: MessageOptions): Promise<Message> {
    return this.send(this.roomId, text, { ...options, replyToId: this.messageId })
  }

  /**
   * Replies piece by piece, while people see the message grow: with the pieces of an iterable, such as the answer of a language
   * model, or with those that are appended to the stream. If the iterable throws, the message is marked as interrupted.
   *
   * @example
   * const stream = await ctx.stream()
   * await stream.append('Thinking')
   * await stream.finish()
   */
  stream(options?: CallOptions): Promise<MessageStream>
  stream(pieces: AsyncIterable<string> | Iterable<string>, options?: CallOptions): Promise<FinishedMessage | undefined>
  async stream(
    given?: AsyncIterable<string> | Iterable<string> | CallOptions,
    options?: CallOptions,
  ): Promise<MessageStream | FinishedMessage | undefined> {
    const pieces = isIterable(given) ? given : undefined
    const call = isIterable(given) ? options : given
    const stream = await this.streamTo(this.roomId, { ...call, ...(this.messageId && { replyToId: this.messageId }) })
    if (!pieces) return stream
    try {
      for await (const piece of pieces) await stream.append(piece)
      return await stream.finish()
    } catch (error) {
      await stream.interrupt().catch(() => undefined)
      throw error
    }
  }

  /** Sends a message to the same room. */
  say(text: string, options?: MessageOptions): Promise<Message> {
    return this.send(this.roomId, text, options)
  }

  /** Shows something in the same room only to who wrote the message, reacted to it or pressed one of its buttons. */
  notice(text: string, options?: NoticeOptions): Promise<ShownNotice> {
    return this.showNotice(this.roomId, this.author.id, text, options)
  }

  /**
   * Edits a message of the bot in the same room. Its cards, buttons and selects stay, unless others are given; an empty list
   * removes them.
   */
  async edit(messageId: string, text: string, options: MessageOptions = {}): Promise<EditedMessage> {
    const { cards, components, files, ...call } = options
    const optional = { ...(cards && { cards }), ...(components && { components }) }
    const written = await withFiles(this.client, this.roomId, text, files, call)
    return this.client.editMessage({ ...this.#room, messageId, text: written, ...optional }, call)
  }

  /** Adds a reaction of the bot to the message. */
  async react(emoji: string, options?: CallOptions): Promise<void> {
    await this.client.addReaction({ ...this.#message, emoji }, options)
  }

  /** Removes a reaction of the bot from the message. */
  async unreact(emoji: string, options?: CallOptions): Promise<void> {
    await this.client.removeReaction({ ...this.#message, emoji }, options)
  }

  /** Pins the message. */
  async pin({ reason, ...options }: ModerationOptions = {}): Promise<void> {
    await this.client.pinMessage({ ...this.#message, ...withReason(reason) }, options)
  }

  /** Unpins the message. */
  async unpin({ reason, ...options }: ModerationOptions = {}): Promise<void> {
    await this.client.unpinMessage({ ...this.#message, ...withReason(reason) }, options)
  }

  /** Deletes the message of someone who ranks below the bot; `client.deleteMessage` deletes those of the bot. */
  async delete({ reason, ...options }: ModerationOptions = {}): Promise<void> {
    const { channelId, messageId } = this
    await this.client.deleteAnyMessage({ channelId, messageId, ...withReason(reason) }, options)
  }

  /** Mutes the author in the chat of the channel; without `durationSec` until it is removed. */
  muteAuthor({ reason, durationSec, ...options }: ModerationOptions & { durationSec?: number } = {}): Promise<Mute> {
    const duration = durationSec === undefined ? {} : { durationSec }
    return this.client.muteChat({ ...this.#authorOfChannel, ...duration, ...withReason(reason) }, options)
  }

  /** Removes the author from the channel. */
  async kickAuthor({ reason, ...options }: ModerationOptions = {}): Promise<void> {
    await this.client.kickMember({ ...this.#authorOfChannel, ...withReason(reason) }, options)
  }

  get #room(): { channelId: string; roomId: string } {
    return { channelId: this.channelId, roomId: this.roomId }
  }

  get #message(): { channelId: string; roomId: string; messageId: string } {
    return { ...this.#room, messageId: this.messageId }
  }

  get #authorOfChannel(): { channelId: string; userId: string } {
    return { channelId: this.channelId, userId: this.author.id }
  }
}

/**
 * What the handler of a button or a select gets. The `author` is who pressed, and the message is the bot’s own. In a notice
 * `messageId` is empty.
 */
export class PressContext extends MessageContext<'component.pressed'> {
  /** The id of the button or select, as the bot chose it. */
  readonly componentId: string
  /** The chosen option of a select; undefined for a button. */
  readonly value: string | undefined
  /** The same every time that this press is delivered. */
  readonly pressId: string
  /** The notice with the button or select; undefined if it is in a message. */
  readonly noticeId: string | undefined

  constructor(options: ContextOptions<'component.pressed'>) {
    super(options)
    const { componentId, value, pressId, noticeId } = options.event.data
    this.componentId = componentId
    this.value = value
    this.pressId = pressId
    this.noticeId = noticeId
  }

  /** Replies to the message, once. Nobody else sees a notice, so there the message is no reply. */
  override reply(text: string, options?: MessageOptions): Promise<Message> {
    return this.noticeId === undefined ? super.reply(text, options) : this.say(text, options)
  }

  /**
   * Edits the message with the button or select, within 30 minutes of sending it. Its cards, buttons and selects stay, unless
   * others are given; an empty list removes them. A notice is replaced, with only what is given.
   */
  async update(text: string, options: MessageOptions = {}): Promise<EditedMessage | ShownNotice> {
    if (this.noticeId === undefined) return this.edit(this.messageId, text, options)
    const { files, ...others } = options
    if (files) throw new TypeError('A notice can’t have files')
    return this.replaceNotice(this.noticeId, this.roomId, this.author.id, text, others)
  }
}

function isIterable(
  given: AsyncIterable<string> | Iterable<string> | CallOptions | undefined,
): given is AsyncIterable<string> | Iterable<string> {
  if (given === undefined || typeof given === 'string') return given !== undefined
  return Symbol.asyncIterator in given || Symbol.iterator in given
}

function withReason(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason }
}
