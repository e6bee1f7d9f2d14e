import { ParticipantInfo_State, WebhookReceiver, type ParticipantInfo, type WebhookEvent } from 'livekit-server-sdk'
import { Refusal } from '../operations/refusal.ts'
import { isLive } from './is-live.ts'
import type { Connection, MediaWebhooks, Publishing } from './media.ts'

/** In milliseconds. LiveKit reports every join and leave, so a working server is rarely silent for longer. */
const RECENT = 10 * 60_000

/** Returns undefined for someone who isn't connected. */
type FindParticipant = (roomId: string, identity: string) => Promise<ParticipantInfo | undefined>

/** The webhooks of a LiveKit server, signed with the key that signs the tokens. */
export class LivekitReports implements MediaWebhooks {
  readonly #receiver: WebhookReceiver
  readonly #find: FindParticipant
  #listener: (connection: Connection) => Promise<void> = async () => undefined
  #publishing: (publishing: Publishing) => Promise<void> = async () => undefined
  #lastAt = -Infinity

  constructor(apiKey: string, apiSecret: string, find: FindParticipant) {
    this.#receiver = new WebhookReceiver(apiKey, apiSecret)
    this.#find = find
  }

  onConnected(listener: (connection: Connection) => Promise<void>): void {
    this.#listener = listener
  }

  onPublishing(listener: (publishing: Publishing) => Promise<void>): void {
    this.#publishing = listener
  }

  areComing(): boolean {
    return performance.now() - this.#lastAt < RECENT
  }

  async receive(body: string, authorization: string | undefined): Promise<void> {
    const { event, room, participant } = await this.#verified(body, authorization)
    this.#lastAt = performance.now()
    if (!room || !participant) return
    const [roomId, { identity }] = [room.name, participant]
    if (event === 'track_published' || event === 'track_unpublished') {
      // These reports name one track; whether anything else is sent has to be queried.
      await this.#publishing({ roomId, identity, isLive: isLive(await this.#find(roomId, identity)) })
    }
    if (event !== 'participant_joined') return
    await this.#listener({
      roomId,
      identity,
      hasMedia: participant.state === ParticipantInfo_State.ACTIVE,
      canPublish: participant.permission?.canPublish ?? true,
    })
  }

  async #verified(body: string, authorization: string | undefined): Promise<WebhookEvent> {
    try {
      return await this.#receiver.receive(body, authorization)
    } catch {
      throw new Refusal('unauthorized', { message: 'This webhook isn’t signed with LIVEKIT_API_SECRET.' })
    }
  }
}
