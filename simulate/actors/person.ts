import type { Room } from '@portico/contract'
import type { Answer, CallOptions, Client } from './client.ts'
import type { Envelope } from '../history/history.ts'
import type { Component } from '../history/operations.ts'
import type { Random } from '../random/random.ts'
import type { ChannelLocks } from './channel-locks.ts'
import { pictureOf } from './picture.ts'
import { Recent } from './recent.ts'
import { COMMANDS } from './sdk-bot-reply.ts'
import { fileIn, MARK, nextText } from './texts.ts'
import { UnreliableSender, type Place } from './unreliable-sender.ts'
import type { VoiceVisits } from './voice-visits.ts'

/** What a person does, and how often, relative to each other. */
const WEIGHTS = {
  send: 32,
  command: 3,
  sendUnreliably: 3,
  reply: 6,
  mention: 4,
  sendFile: 2,
  sendPicture: 1,
  edit: 6,
  delete: 5,
  react: 9,
  press: 6,
  unreact: 3,
  readHistory: 8,
  openFile: 3,
  markRead: 8,
  markUnread: 1,
  type: 3,
  search: 3,
  lookAround: 4,
  listMembers: 2,
  joinVoice: 2,
  leaveVoice: 2,
  leaveAndReturn: 1,
  moderate: 3,
}

const EMOJI = ['👍', '🎉', '❤️', '👀', '🚢']
/** Shares of requests whose answer is lost on the way. */
const HUNG_UP = 0.03
/** How often what is deleted is a file. */
const FILES_DELETED = 0.3

export interface Seen {
  readonly channelId: string
  readonly roomId: string
  readonly messageId: string
  readonly authorId: string
}

export interface PersonOptions {
  readonly client: Client
  readonly random: Random
  readonly locks: ChannelLocks
  /** The channels that the person belongs to, as far as they know. */
  readonly channels: readonly string[]
  readonly voice: VoiceVisits
}

/** A file that was sent. */
export interface SentFile extends Seen {
  readonly path: string
}

/** Someone in the portal: reads, writes, reacts, comes and goes. Knows only what the portal has shown. */
export class Person {
  readonly client: Client
  readonly #random: Random
  readonly #locks: ChannelLocks
  readonly #channels: string[]
  readonly #rooms = new Map<string, readonly Room[]>()
  readonly #reacted = new Recent<Omit<Seen, 'authorId'> & { readonly emoji: string }>(20)
  readonly #seen = new Recent<Seen>(60)
  readonly #pressable = new Recent<Seen & { readonly components: readonly Component[] }>(20)
  /** Addresses of files, which may be opened again later. */
  readonly #addresses = new Recent<string>(30)
  readonly #voice: VoiceVisits
  readonly #sender: UnreliableSender
  /** Of what the person has written. */
  readonly marks: string[] = []
  readonly files: SentFile[] = []
  /** Called when the person opens a room. */
  onOpened: (room: Place) => void = () => {}

  constructor({ client, random, locks, channels, voice }: PersonOptions) {
    this.client = client
    this.#random = random
    this.#locks = locks
    this.#channels = [...channels]
    this.#voice = voice
    this.#sender = new UnreliableSender(client, random)
  }

  get id(): string {
    return this.client.actor.id
  }

  onEvent({ event, channelId, data }: Envelope): void {
    if (event !== 'message.created' || channelId === null) return
    const { roomId, message } = data as {
      roomId: string
      message: { id: string; text?: string; author: { id: string }; components?: readonly Component[] }
    }
    const seen = { channelId, roomId, messageId: message.id, authorId: message.author.id }
    this.#seen.add(seen)
    if (message.components) this.#pressable.add({ ...seen, components: message.components })
    const path = fileIn(message.text ?? '')
    if (path !== undefined) this.#addresses.add(path)
  }

  /** Leaves the voice rooms without a word. */
  hangUp(): void {
    this.#voice.end()
  }

  /** One that the person has seen lately. */
  someMessage(): Seen | undefined {
    return this.#someMessage()
  }

  async step(): Promise<void> {
    const act = this.#random.weighted(WEIGHTS)
    await this[act]()
  }

  async send(): Promise<void> {
    const room = await this.#someRoom()
    if (room) await this.#write({ ...room, text: nextText(this.#random) })
  }

  async reply(): Promise<void> {
    const seen = this.#someMessage()
    if (!seen) return
    const { channelId, roomId, messageId: replyToId } = seen
    await this.#write({ channelId, roomId, text: nextText(this.#random), replyToId })
  }

  async mention(): Promise<void> {
    const seen = this.#someMessage()
    if (!seen) return
    const { channelId, roomId, authorId } = seen
    await this.#write({ channelId, roomId, text: `<@${authorId}> ${nextText(this.#random)}` })
  }

  /** For the bots that are written with the SDK. */
  async command(): Promise<void> {
    const room = await this.#someRoom('text')
    const name = this.#random.pick(COMMANDS)
    if (!room || name === undefined) return
    // Formatting around the name, or around everything, doesn’t make it another command.
    const shown = this.#random.chance(0.2) ? `**${name}**` : name
    await this.#write({ ...room, text: `${shown} ${nextText(this.#random)}` })
  }

  async sendUnreliably(): Promise<void> {
    const room = await this.#someRoom()
    if (!room) return
    const ways = { withoutKey: 3, withKey: 3, twins: 2, otherText: 1 }
    await this.#sender[this.#random.weighted(ways)](room)
  }

  async sendFile(): Promise<void> {
    await this.#attach(`notes-${this.files.length + 1}.txt`, { content: nextText(this.#random) })
  }

  async sendPicture(): Promise<void> {
    const color = [this.#random.integer(256), this.#random.integer(256), this.#random.integer(256)] as const
    await this.#attach(`chart-${this.files.length + 1}.png`, { content: pictureOf(color), isPicture: true })
  }

  async edit(): Promise<void> {
    const own = this.#someMessage(({ authorId }) => authorId === this.id)
    if (own) await this.client.call('edit', { ...placeOf(own), text: nextText(this.#random) }, this.#perhapsLost())
  }

  async delete(): Promise<void> {
    const file = this.#random.chance(FILES_DELETED) ? this.#random.pick(this.files.slice(-4)) : undefined
    // Sometimes another person’s, which only moderators may.
    const message = file ?? this.#someMessage(({ authorId }) => authorId === this.id || this.#random.chance(0.05))
    if (!message) return
    await this.client.call('delete', placeOf(message), this.#perhapsLost())
    this.#seen.remove(({ messageId }) => messageId === message.messageId)
  }

  async react(): Promise<void> {
    // Many react to what is new, and in the same way.
    const isUsual = this.#random.chance(0.5)
    const message = isUsual ? this.#seen.items.at(-1) : this.#someMessage()
    const emoji = isUsual ? EMOJI[0] : this.#random.pick(EMOJI)
    if (!message || emoji === undefined) return
    this.#reacted.add({ ...placeOf(message), emoji })
    await this.client.call('react', { ...placeOf(message), emoji }, this.#perhapsLost())
  }

  async unreact(): Promise<void> {
    const own = this.#random.chance(0.7) ? this.#random.pick(this.#reacted.items) : undefined
    const message = own ?? this.#someMessage()
    const emoji = own?.emoji ?? this.#random.pick(EMOJI)
    if (!message || emoji === undefined) return
    const { channelId, roomId, messageId } = message
    await this.client.call('unreact', { channelId, roomId, messageId, emoji })
  }

  async press(): Promise<void> {
    const message = this.#random.pick(this.#pressable.items)
    const component = this.#random.pick(message?.components ?? [])
    if (!message || !component) return
    const value = this.#random.pick(component.options ?? [])?.value
    const pressed = { botId: message.authorId, componentId: component.id, ...(value !== undefined && { value }) }
    await this.client.call('press', { ...placeOf(message), ...pressed }, this.#perhapsLost())
  }

  async readHistory(): Promise<void> {
    const room = await this.#someRoom()
    if (!room) return
    const answer = await this.client.call('readHistory', { ...room, limit: 1 + this.#random.integer(100) })
    if (answer?.status !== 200) return
    this.onOpened(room)
    const { messages } = answer.body as { messages: { id: string; author: { id: string } }[] }
    for (const { id, author } of messages.slice(-5)) this.#seen.add({ ...room, messageId: id, authorId: author.id })
  }

  async openFile(): Promise<void> {
    const path = this.#random.pick(this.#addresses.items)
    if (path !== undefined) await this.client.call('getFile', { path })
  }

  async markRead(): Promise<void> {
    const message = this.#someMessage()
    if (!message) return
    const { channelId, roomId, messageId } = message
    await this.client.call('markRead', { channelId, roomId, ...(this.#random.chance(0.5) && { messageId }) })
  }

  async markUnread(): Promise<void> {
    const message = this.#someMessage()
    if (message) await this.client.call('markUnread', placeOf(message))
  }

  async type(): Promise<void> {
    const room = await this.#someRoom()
    if (room) await this.client.call('startTyping', room)
  }

  async search(): Promise<void> {
    const channelId = this.#random.pick(this.#channels)
    if (channelId !== undefined) await this.client.call('search', { channelId, q: 'harbor' })
  }

  async lookAround(): Promise<void> {
    const channelId = this.#random.pick(this.#channels)
    if (channelId !== undefined) await this.#readRooms(channelId)
  }

  async listMembers(): Promise<void> {
    const channelId = this.#random.pick(this.#channels)
    if (channelId !== undefined) await this.client.call('listMembers', { channelId })
  }

  async joinVoice(): Promise<void> {
    const room = await this.#someRoom('voice')
    if (room) await this.#voice.join(room)
  }

  async leaveVoice(): Promise<void> {
    const room = await this.#someRoom('voice')
    if (room) await this.#voice.leave(room)
  }

  async leaveAndReturn(): Promise<void> {
    const channelId = this.#random.pick(this.#channels)
    if (channelId === undefined) return
    await this.#locks.change(channelId, this.client, 'leave', { channelId })
    await this.#locks.change(channelId, this.client, 'join', { channelId })
    this.#rooms.delete(channelId)
  }

  /** What only some may. The others are refused, and the model says who. */
  async moderate(): Promise<void> {
    const message = this.#someMessage()
    if (message) await this.client.call(this.#random.chance(0.7) ? 'pin' : 'unpin', placeOf(message))
  }

  async #attach(name: string, file: { content: string; isPicture?: boolean }): Promise<void> {
    const room = await this.#someRoom()
    if (!room) return
    const uploaded = await this.client.call('upload', { ...room, name, ...file })
    if (uploaded?.status !== 201) return
    const { markdown, url } = uploaded.body as { markdown: string; url: string }
    const sent = await this.#write({ ...room, text: `${nextText(this.#random)} ${markdown}` })
    if (sent?.status !== 201) return
    this.files.push({ ...room, path: url, messageId: (sent.body as { id: string }).id, authorId: this.id })
  }

  #write(args: { channelId: string; roomId: string; text: string; replyToId?: string }): Promise<Answer | undefined> {
    this.marks.push(MARK.exec(args.text)?.[0] ?? '')
    return this.client.call('send', args, this.#perhapsLost())
  }

  #perhapsLost(): CallOptions {
    return this.#random.chance(HUNG_UP) ? { hangUpAfter: this.#sender.breaksAfter } : {}
  }

  #someMessage(matches: (seen: Seen) => boolean = () => true): Seen | undefined {
    return this.#random.pick(this.#seen.items.filter(matches))
  }

  async #someRoom(type?: Room['type']): Promise<{ channelId: string; roomId: string } | undefined> {
    const channelId = this.#random.pick(this.#channels)
    if (channelId === undefined) return undefined
    if (!this.#rooms.has(channelId)) await this.#readRooms(channelId)
    const rooms = this.#rooms.get(channelId) ?? []
    const room = this.#random.pick(type ? rooms.filter((one) => one.type === type) : rooms)
    return room && { channelId, roomId: room.id }
  }

  async #readRooms(channelId: string): Promise<void> {
    const answer = await this.client.call('listRooms', { channelId })
    if (answer?.status === 200) this.#rooms.set(channelId, (answer.body as { rooms: Room[] }).rooms)
    else this.#rooms.delete(channelId)
  }
}

function placeOf({ channelId, roomId, messageId }: Seen): { channelId: string; roomId: string; messageId: string } {
  return { channelId, roomId, messageId }
}
