import { DisconnectReason, LeaveRequest_Action as LeaveAction, Pong, SessionDescription } from '@livekit/protocol'
import type { SignalLink } from '../room/participant.ts'
import { leave } from '../room/room.ts'
import type { Present, Rooms } from '../room/rooms.ts'
import { readMessage, writeMessage, type ClientMessage } from '../signal/codec.ts'
import { joinMessage, reconnectMessage, type ServerFacts } from './join.ts'
import { addTrack, muteTrack, refuseMetadata, syncState, updateSubscription, updateTrackSettings } from './requests.ts'
import type { AdmittedClient } from '../signal/signal-request.ts'

const CLOSE = { normal: 1000, malformed: 1007 } as const

interface Options {
  readonly link: SignalLink
  readonly rooms: Rooms
  readonly server: ServerFacts
}

/** One signaling socket's life, from joining or resuming to its end. */
export class SignalSession {
  readonly #link: SignalLink
  readonly #rooms: Rooms
  readonly #present: Present | undefined

  constructor({ link, rooms, server }: Options, admitted: AdmittedClient) {
    this.#link = link
    this.#rooms = rooms
    this.#present = admitted.query.resume === null ? this.#join(admitted, server) : this.#resume(admitted, server)
  }

  /** Whether the client is in a room, with this socket as its current one. */
  get isCurrent(): boolean {
    return this.#present !== undefined && this.#present.participant.link === this.#link
  }

  receive(bytes: Uint8Array): void {
    const present = this.#present
    if (!present || !this.isCurrent) return
    const message = readMessage(bytes)
    if (!message) return this.#link.close(CLOSE.malformed)
    this.#handle(present, message)
  }

  /** The socket is closed. The client may come back and resume. */
  end(): void {
    if (this.isCurrent) this.#present?.participant.detach()
  }

  #join(admitted: AdmittedClient, server: ServerFacts): Present | undefined {
    const present = this.#rooms.join(admitted, (joined) => {
      joined.participant.attach(this.#link)
      joined.participant.send(joinMessage(joined, server))
    })
    if (!present) this.#refuse(DisconnectReason.JOIN_FAILURE, LeaveAction.DISCONNECT)
    return present
  }

  /** A participant who is no longer known has to join again, and the response says so. */
  #resume({ grant, query }: AdmittedClient, server: ServerFacts): Present | undefined {
    const present = this.#rooms.find(grant.roomId, grant.identity)
    if (present?.participant.sid !== query.resume || !present.participant.canResume) {
      this.#refuse(DisconnectReason.STATE_MISMATCH, LeaveAction.RECONNECT)
      return undefined
    }
    const { room, participant } = present
    participant.link?.close(CLOSE.normal)
    participant.attach(this.#link)
    participant.send(reconnectMessage(server))
    room.catchUp(participant)
    participant.subscriber?.restart()
    return present
  }

  #refuse(reason: DisconnectReason, action: LeaveAction): void {
    this.#link.send(writeMessage(leave(reason, action)))
    this.#link.close(CLOSE.normal)
  }

  #handle(present: Present, message: ClientMessage): void {
    const { participant } = present
    switch (message.case) {
      case 'offer':
        return this.#answer(present, message.value)
      case 'answer':
        if (participant.subscriber?.answer(message.value.id, message.value.sdp) === false) this.#startOver(present)
        return
      case 'addTrack':
        return addTrack(present, message.value)
      case 'mute':
        return muteTrack(present, message.value)
      case 'subscription':
        return updateSubscription(present, message.value)
      case 'trackSetting':
        return updateTrackSettings(present, message.value)
      case 'syncState':
        return syncState(present, message.value)
      case 'updateMetadata':
        return refuseMetadata(present, message.value)
      case 'leave':
        return this.#rooms.remove(present, DisconnectReason.CLIENT_INITIATED)
      case 'ping':
        return participant.send({ case: 'pong', value: BigInt(Date.now()) })
      case 'pingReq': {
        const value = new Pong({ lastPingTimestamp: message.value.timestamp, timestamp: BigInt(Date.now()) })
        return participant.send({ case: 'pongResp', value })
      }
      default:
      // Candidates are learned from their checks; what newer clients send is ignored.
    }
  }

  #answer(present: Present, { id, sdp: offered }: SessionDescription): void {
    const sdp = present.participant.publisher.answer(offered)
    if (sdp === undefined) return this.#startOver(present)
    const value = new SessionDescription({ type: 'answer', sdp, id })
    present.participant.send({ case: 'answer', value })
  }

  /** The client's connections can't be used anymore: it makes new ones. */
  #startOver(present: Present): void {
    this.#rooms.remove(present, DisconnectReason.STATE_MISMATCH, LeaveAction.RECONNECT)
  }
}
