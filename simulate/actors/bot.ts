import { randomUUID } from 'node:crypto'
import type { Client } from './client.ts'
import type { Envelope } from '../history/history.ts'
import type { Component } from '../history/operations.ts'
import type { Random } from '../random/random.ts'
import { Recent } from './recent.ts'
import { StreamWriter } from './stream-writer.ts'
import { nextText } from './texts.ts'
import { UnreliableSender, type Place } from './unreliable-sender.ts'
import type { VoiceVisits } from './voice-visits.ts'

const WEIGHTS = {
  send: 20,
  sendUnreliably: 5,
  reply: 6,
  edit: 5,
  delete: 5,
  react: 8,
  unreact: 3,
  read: 6,
  look: 6,
  moderate: 4,
  joinVoice: 1,
  leaveVoice: 1,
  declare: 1,
  answerPress: 6,
  startStream: 6,
  writeStream: 14,
  finishStream: 2,
  interruptStream: 1,
  abandonStream: 1,
}

const EMOJI = ['✅', '⚓', '🛠️']
/** The share of messages with buttons and a select. */
const ASKING = 0.3
export const COMPONENTS: readonly Component[] = [
  { type: 'button', id: 'moor', label: 'Moor' },
  { type: 'button', id: 'cast off', label: 'Cast off' },
  {
    type: 'select',
    id: 'pier',
    label: 'Pier',
    options: [
      { value: 'north', label: 'North' },
      { value: 'south', label: 'Юг' },
    ],
  },
]

export interface Seen extends Place {
  readonly messageId: string
  readonly authorId: string
}

export interface BotOptions {
  readonly client: Client
  readonly random: Random
  readonly applicationId: string
  readonly channels: readonly string[]
  readonly voice: VoiceVisits
}

/** A bot that speaks plain HTTP with its key. It knows rooms from their events and from the list of rooms. */
export class Bot {
  readonly client: Client
  readonly applicationId: string
  readonly #random: Random
  readonly #channels: readonly string[]
  readonly #seen = new Recent<Seen>(40)
  readonly #own = new Recent<Seen>(40)
  /** Who has pressed something, to answer them. */
  readonly #pressed = new Recent<Place & { readonly userId: string }>(20)
  readonly #rooms = new Map<string, readonly { id: string; type: string }[]>()
  readonly #voice: VoiceVisits
  readonly #sender: UnreliableSender
  readonly streams: StreamWriter

  constructor({ client, random, applicationId, channels, voice }: BotOptions) {
    this.client = client
    this.applicationId = applicationId
    this.#random = random
    this.#channels = channels
    this.#voice = voice
    this.#sender = new UnreliableSender(client, random)
    this.streams = new StreamWriter(client, random)
  }

  get id(): string {
    return this.client.actor.id
  }

  onEvent({ event, channelId, data }: Envelope): void {
    if (channelId === null) return
    if (event === 'component.pressed') {
      const { roomId, user } = data as { roomId: string; user: { id: string } }
      this.#pressed.add({ channelId, roomId, userId: user.id })
    }
    if (event !== 'message.created') return
    const { roomId, message } = data as { roomId: string; message: { id: string; author: { id: string } } }
    this.#seen.add({ channelId, roomId, messageId: message.id, authorId: message.author.id })
  }

  /** Leaves the voice rooms without a word. */
  hangUp(): void {
    this.#voice.end()
  }

  /** One that it has seen lately. */
  someMessage(): Seen | undefined {
    return this.#random.pick(this.#seen.items)
  }

  async step(): Promise<void> {
    await this[this.#random.weighted(WEIGHTS)]()
  }

  async send(): Promise<void> {
    const place = await this.#someRoom('text')
    if (place) await this.#write(place, nextText(this.#random))
  }

  async sendUnreliably(): Promise<void> {
    const place = await this.#someRoom('text')
    const ways = { withKey: 5, twins: 2, otherText: 1 }
    if (place) await this.#sender[this.#random.weighted(ways)](place)
  }

  async reply(): Promise<void> {
    const seen = this.#random.pick(this.#seen.items)
    if (seen) await this.#write(seen, nextText(this.#random), seen.messageId)
  }

  async edit(): Promise<void> {
    const own = this.#random.pick(this.#own.items)
    if (own) await this.client.call('edit', { ...messageOf(own), text: nextText(this.#random) })
  }

  async delete(): Promise<void> {
    const own = this.#random.pick(this.#own.items)
    if (!own) return
    await this.client.call('delete', messageOf(own))
    this.#own.remove(({ messageId }) => messageId === own.messageId)
  }

  async react(): Promise<void> {
    const seen = this.#random.pick(this.#seen.items)
    const emoji = this.#random.pick(EMOJI)
    if (seen && emoji) await this.client.call('react', { ...messageOf(seen), emoji })
  }

  async unreact(): Promise<void> {
    const seen = this.#random.pick(this.#seen.items)
    const emoji = this.#random.pick(EMOJI)
    if (seen && emoji) await this.client.call('unreact', { ...messageOf(seen), emoji })
  }

  async read(): Promise<void> {
    const place = await this.#someRoom('text')
    if (place) await this.client.call('read', { ...place, limit: 1 + this.#random.integer(100) })
  }

  async look(): Promise<void> {
    const channelId = this.#random.pick(this.#channels)
    if (channelId === undefined || this.#random.chance(0.3)) {
      await this.client.call('getProfile', {})
      return
    }
    await this.#readRooms(channelId)
    if (this.#random.chance(0.3)) await this.client.call('listMembers', { channelId })
  }

  async moderate(): Promise<void> {
    const seen = this.#random.pick(this.#seen.items)
    if (seen) await this.client.call(this.#random.chance(0.6) ? 'pin' : 'unpin', messageOf(seen))
  }

  async joinVoice(): Promise<void> {
    const place = await this.#someRoom('voice')
    if (place) await this.#voice.join(place)
  }

  async leaveVoice(): Promise<void> {
    const place = await this.#someRoom('voice')
    if (place) await this.#voice.leave(place)
  }

  async declare(): Promise<void> {
    const commands = this.#random.some(['/tide', '/crates', '/кран'], 0.6)
    const described = commands.map((name) => ({ name, description: nextText(this.#random) }))
    await this.client.call('replaceCommands', { commands: described })
  }

  async answerPress(): Promise<void> {
    const pressed = this.#random.pick(this.#pressed.items)
    if (!pressed) return
    await this.client.call('showNotice', { ...pressed, noticeId: randomUUID(), text: nextText(this.#random) })
  }

  async startStream(): Promise<void> {
    const place = await this.#someRoom('text')
    if (place) await this.streams.start(place)
  }

  writeStream(): Promise<void> {
    return this.streams.write()
  }

  finishStream(): Promise<void> {
    return this.streams.finish()
  }

  interruptStream(): Promise<void> {
    return this.streams.interrupt()
  }

  abandonStream(): Promise<void> {
    return this.streams.abandon()
  }

  async #write({ channelId, roomId }: Place, text: string, replyToId?: string): Promise<void> {
    const components = this.#random.chance(ASKING) ? { components: COMPONENTS } : {}
    const answer = await this.client.call('send', {
      channelId,
      roomId,
      text,
      ...(replyToId && { replyToId }),
      ...components,
    })
    if (answer?.status !== 201) return
    const { id } = answer.body as { id: string }
    this.#own.add({ channelId, roomId, messageId: id, authorId: this.id })
  }

  async #someRoom(type: string): Promise<Place | undefined> {
    const channelId = this.#random.pick(this.#channels)
    if (channelId === undefined) return undefined
    if (!this.#rooms.has(channelId)) await this.#readRooms(channelId)
    const room = this.#random.pick((this.#rooms.get(channelId) ?? []).filter((one) => one.type === type))
    if (room) return { channelId, roomId: room.id }
    const seen = type === 'text' ? this.#random.pick(this.#seen.items) : undefined
    return seen && { channelId: seen.channelId, roomId: seen.roomId }
  }

  async #readRooms(channelId: string): Promise<void> {
    const answer = await this.client.call('listRooms', { channelId })
    if (answer?.status === 200) {
      this.#rooms.set(channelId, (answer.body as { rooms: { id: string; type: string }[] }).rooms)
    } else this.#rooms.delete(channelId)
  }
}

function messageOf({ channelId, roomId, messageId }: Seen): { channelId: string; roomId: string; messageId: string } {
  return { channelId, roomId, messageId }
}
