import type { CallOptions } from '../client/call-options.ts'
import type { Client } from '../client/client.ts'
import { PorticoError } from '../client/errors.ts'
import { VoiceRoom } from './voice-room.ts'

/** The voice rooms of a bot. */
export class Voice {
  readonly #client: Client
  readonly #channels: () => readonly { readonly id: string }[]

  constructor(client: Client, channels: () => readonly { readonly id: string }[]) {
    this.#client = client
    this.#channels = channels
  }

  /**
   * Joins a voice room, where people see the bot. Without `channelId` the bot looks for the room in its channels, which needs the
   * scope `channel:read`.
   */
  async join(
    roomId: string,
    { channelId, ...options }: CallOptions & { readonly channelId?: string } = {},
  ): Promise<VoiceRoom> {
    const input = { channelId: channelId ?? (await this.#channelOf(roomId, options)), roomId }
    return new VoiceRoom(this.#client, await this.#client.joinVoice(input, options))
  }

  async #channelOf(roomId: string, options: CallOptions): Promise<string> {
    for (const { id } of this.#channels()) {
      const { rooms } = await this.#client.listRooms({ channelId: id }, options)
      if (rooms.some((room) => room.id === roomId)) return id
    }
    throw new PorticoError(`The room ${roomId} is in none of the bot’s channels, or is private. Pass its channelId.`)
  }
}
