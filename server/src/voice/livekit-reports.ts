import { ParticipantInfo_State, WebhookReceiver, type WebhookEvent } from 'livekit-server-sdk'
import { Refusal } from '../operations/refusal.ts'
import type { Connection, MediaReports } from './media.ts'

/** In milliseconds. LiveKit reports every join and leave, so a working server is rarely silent for longer. */
const RECENT = 10 * 60_000

/** The webhooks of a LiveKit server, signed with the key that signs the tokens. */
export class LivekitReports implements MediaReports {
  readonly #receiver: WebhookReceiver
  #listener: (connection: Connection) => Promise<void> = async () => undefined
  #lastAt = -Infinity

  constructor(apiKey: string, apiSecret: string) {
    this.#receiver = new WebhookReceiver(apiKey, apiSecret)
  }

  onConnected(listener: (connection: Connection) => Promise<void>): void {
    this.#listener = listener
  }

  areComing(): boolean {
    return performance.now() - this.#lastAt < RECENT
  }

  async receive(body: string, authorization: string | undefined): Promise<void> {
    const { event, room, participant } = await this.#verified(body, authorization)
    this.#lastAt = performance.now()
    if (event !== 'participant_joined' || !room || !participant) return
    await this.#listener({
      roomId: room.name,
      identity: participant.identity,
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
