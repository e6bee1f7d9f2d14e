import {
  DisconnectReason,
  LeaveRequest_Action as LeaveAction,
  ParticipantInfo_State as State,
  SessionDescription,
} from '@livekit/protocol'
import type { Connection } from '../../voice/media.ts'
import type { Opened } from '../thread.ts'
import type { TransportState } from '../transport.ts'
import { demandMessage } from './demand.ts'
import type { MediaPlane } from './media-plane.ts'
import { Participant } from './participant.ts'
import { PublisherConnection } from './publisher-connection.ts'
import { Room } from './room.ts'
import { SubscriberConnection } from './subscriber-connection.ts'

interface Options {
  readonly plane: MediaPlane
  /** Called when someone's media has stopped, or they have left. */
  readonly onLost: (roomId: string, identity: string) => void
}

/** A participant and the room they are in. */
export interface Present {
  readonly room: Room
  readonly participant: Participant
}

/** All rooms of this media server. A room exists while someone is in it. */
export class Rooms {
  readonly #options: Options
  readonly #rooms = new Map<string, Room>()

  constructor(options: Options) {
    this.#options = options
  }

  get all(): readonly Room[] {
    return [...this.#rooms.values()]
  }

  find(roomId: string, identity: string): Present | undefined {
    const room = this.#rooms.get(roomId)
    const participant = room?.find(identity)
    return room && participant && { room, participant }
  }

  /**
   * Lets a client into a room, which is made if need be; undefined if the room is full. Of two connections of one identity
   * the older one ends. `welcome` sends the first message.
   */
  join(opened: Opened, welcome: (present: Present) => void): Present | undefined {
    const { roomId, identity } = opened.grant
    const earlier = this.find(roomId, identity)
    if (earlier) this.remove(earlier, DisconnectReason.DUPLICATE_IDENTITY, LeaveAction.DISCONNECT)
    const room = this.#rooms.get(roomId) ?? new Room(roomId)
    if (room.isFull) return undefined
    this.#rooms.set(roomId, room)
    const participant = this.#newParticipant(room, opened)
    const present = { room, participant }
    room.add(participant, opened.query.autoSubscribe, () => welcome(present))
    return present
  }

  remove({ room, participant }: Present, reason: DisconnectReason, action?: LeaveAction): void {
    if (room.find(participant.identity) !== participant) return
    room.remove(participant, reason, action)
    if (room.participants.length === 0) this.#rooms.delete(room.name)
    this.#options.onLost(room.name, participant.identity)
  }

  connections(): Connection[] {
    return this.all.flatMap(({ name: roomId, participants }) =>
      participants.map(({ identity, hasMedia, permissions: { canPublish } }) => ({
        roomId,
        identity,
        hasMedia,
        canPublish,
      })),
    )
  }

  #newParticipant(room: Room, { grant, query, client }: Opened): Participant {
    const { plane } = this.#options
    const candidates = plane.candidatesFor(client)
    const publisher = new PublisherConnection({
      plane,
      candidates,
      onPublished: (track) => room.published(track, participant),
      onUnpublished: (track) => room.unpublished(track, participant),
      onDemand: (track, highestLayer) => participant.send(demandMessage(track, highestLayer)),
    })
    const subscriber = new SubscriberConnection({
      plane,
      candidates,
      onState: (state) => this.#follow(room, participant, state),
      onStarted: (sid) => room.viewed(sid),
      offer: ({ id, sdp, trackIds }) => {
        const value = new SessionDescription({ type: 'offer', id, sdp, midToTrackId: trackIds })
        participant.send({ case: 'offer', value })
      },
    })
    const participant = new Participant({ grant, clientProtocol: query.clientProtocol, publisher, subscriber })
    return participant
  }

  #follow(room: Room, participant: Participant, state: TransportState): void {
    if (state === 'connected') room.enter(participant, State.ACTIVE)
    if (state !== 'closed' || !participant.hasMedia) return
    room.enter(participant, State.JOINED)
    this.#options.onLost(room.name, participant.identity)
  }
}
