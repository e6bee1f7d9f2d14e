import {
  DisconnectReason,
  LeaveRequest_Action as LeaveAction,
  ParticipantInfo_State as State,
  SessionDescription,
} from '@livekit/protocol'
import type { ClientAddress } from '../ice/addresses.ts'
import type { AdmittedClient } from '../signal/signal-request.ts'
import type { TransportState } from '../transport/transport.ts'
import { announceOffered } from './announce-offered.ts'
import type {
  Broadcast,
  BroadcastAnswer,
  BroadcastLimits,
  BroadcastRefusal,
  BroadcastSelector,
  IceUpdate,
  IceUpdateAnswer,
} from './broadcast.ts'
import type { Connection, Publishing } from './connection.ts'
import { raiseDemand } from './demand.ts'
import type { MediaPlane } from './media-plane.ts'
import { Participant } from './participant.ts'
import { PublisherConnection } from './publisher-connection.ts'
import { Room } from './room.ts'
import { SubscriberConnection } from './subscriber-connection.ts'

/** In bits per second: enough for a screen and a camera, and for what broadcasting programs send at most. */
const MAX_BITRATE = { participant: 8_000_000, broadcast: 20_000_000 }
/** Programs that broadcast at the same time, in all rooms. */
const MOST_BROADCASTS = 100

interface Options {
  readonly plane: MediaPlane
  readonly broadcastLimits: BroadcastLimits
  /** Called when someone's media has begun to flow. */
  readonly onMedia: (roomId: string, identity: string) => void
  /** Called when someone's media has stopped, or they have left. */
  readonly onLost: (roomId: string, identity: string) => void
  /** Called when someone began or stopped sending. */
  readonly onPublishing: (publishing: Publishing) => void
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
  /** Who sends something, as last reported: room and account. */
  readonly #live = new Set<string>()
  /** The channels of the rooms in which programs broadcast. */
  readonly #channels = new WeakMap<Participant, string>()

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

  /** Everyone of an account in a room: a browser, and perhaps a program that broadcasts. */
  of(roomId: string, account: string): Present[] {
    const room = this.#rooms.get(roomId)
    if (!room) return []
    const own = room.participants.filter((participant) => participant.account === account)
    return own.map((participant) => ({ room, participant }))
  }

  /** Lets a client into a room; undefined if the room is full. `welcome` sends the first message. */
  join(admitted: AdmittedClient, welcome: (present: Present) => void): Present | undefined {
    const room = this.#roomFor(admitted.grant.roomId, admitted.grant.identity)
    if (!room) return undefined
    const participant = this.#newParticipant(room, admitted)
    const present = { room, participant }
    room.add(participant, admitted.query.autoSubscribe, () => welcome(present))
    return present
  }

  /** Lets a program in that only publishes what its offer contains. It replaces an earlier one of the same account. */
  broadcast({ grant, channelId, client, sdp: offer }: Broadcast): BroadcastAnswer | BroadcastRefusal {
    const identity = `${grant.identity}:whip`
    const refusal = this.find(grant.roomId, identity) ? undefined : this.#refuseBroadcast(grant.identity, channelId)
    if (refusal) return refusal
    const room = this.#roomFor(grant.roomId, identity)
    if (!room) return 'full'
    const publisher = this.#newPublisher(room, client, () => participant, {
      maxBitrate: MAX_BITRATE.broadcast,
      onState: (state) => {
        if (state === 'connected') {
          room.enter(participant, State.ACTIVE)
          this.#notePublishing(room.name, grant.identity)
        }
        if (state === 'closed') this.remove({ room, participant }, DisconnectReason.MEDIA_FAILURE)
      },
    })
    const participant = new Participant({ grant, identity, clientProtocol: 0, publisher, subscriber: null })
    this.#channels.set(participant, channelId)
    room.add(participant, false, () => announceOffered(publisher, offer))
    const sdp = publisher.answer(offer)
    const { local } = publisher
    if (sdp !== undefined && local && publisher.tracks.some(({ published }) => published)) {
      return { sid: participant.sid, sdp, iceSession: local.ufrag }
    }
    this.remove({ room, participant }, DisconnectReason.JOIN_FAILURE)
    return 'nothing'
  }

  /** The candidates of a program are never needed: it checks first. */
  updateIce({ iceSession, credentials, ...broadcast }: IceUpdate): IceUpdateAnswer {
    const { publisher } = this.#broadcastOf(broadcast)?.participant ?? {}
    if (!publisher?.local) return 'unknown'
    if (iceSession !== '*' && iceSession !== publisher.local.ufrag) return 'outdated'
    const fragment = credentials ? publisher.restartIce(credentials) : undefined
    return fragment === undefined ? 'noted' : { fragment, iceSession: publisher.local.ufrag }
  }

  endBroadcast(broadcast: BroadcastSelector): boolean {
    const own = this.#broadcastOf(broadcast)
    if (own) this.remove(own, DisconnectReason.CLIENT_INITIATED)
    return own !== undefined
  }

  remove({ room, participant }: Present, reason: DisconnectReason, action?: LeaveAction): void {
    if (room.find(participant.identity) !== participant) return
    room.remove(participant, reason, action)
    if (room.participants.length === 0) this.#rooms.delete(room.name)
    this.#notePublishing(room.name, participant.account)
    this.#options.onLost(room.name, participant.account)
  }

  /** One entry per account and room. */
  connections(): Connection[] {
    return this.all.flatMap(({ name: roomId, participants }) =>
      [...Map.groupBy(participants, ({ account }) => account)].map(([identity, own]) => ({
        roomId,
        identity,
        hasMedia: own.some(({ hasMedia }) => hasMedia),
        canPublish: own.some(({ permissions }) => permissions.canPublish),
        isLive: own.some(({ isLive }) => isLive),
      })),
    )
  }

  #broadcastOf({ roomId, identity, sid }: BroadcastSelector): Present | undefined {
    return this.of(roomId, identity).find(({ participant }) => {
      return participant.subscriber === null && (sid === undefined || participant.sid === sid)
    })
  }

  /** Few people, or few channels, must not take all broadcasts of a portal. */
  #refuseBroadcast(account: string, channelId: string): BroadcastRefusal | undefined {
    const all = this.all.flatMap(({ participants }) => participants).filter(({ subscriber }) => subscriber === null)
    const ofPerson = all.filter((other) => other.account === account)
    const ofChannel = all.filter((other) => this.#channels.get(other) === channelId)
    const { broadcastLimits: limits } = this.#options
    if (ofPerson.length >= limits.ofPerson) return 'personFull'
    if (ofChannel.length >= limits.ofChannel) return 'channelFull'
    return all.length >= MOST_BROADCASTS ? 'full' : undefined
  }

  /** The room, made if need be; undefined if it is full. Of two connections of one identity the older one ends. */
  #roomFor(roomId: string, identity: string): Room | undefined {
    const earlier = this.find(roomId, identity)
    if (earlier) this.remove(earlier, DisconnectReason.DUPLICATE_IDENTITY, LeaveAction.DISCONNECT)
    const room = this.#rooms.get(roomId) ?? this.#newRoom(roomId)
    if (room.isFull) return undefined
    this.#rooms.set(roomId, room)
    return room
  }

  #newRoom(roomId: string): Room {
    return new Room(roomId, ({ account }) => this.#notePublishing(roomId, account))
  }

  #notePublishing(roomId: string, account: string): void {
    const key = `${roomId} ${account}`
    const isLive = this.of(roomId, account).some(({ participant }) => participant.isLive)
    if (isLive === this.#live.has(key)) return
    if (isLive) this.#live.add(key)
    else this.#live.delete(key)
    this.#options.onPublishing({ roomId, identity: account, isLive })
  }

  #newPublisher(
    room: Room,
    client: ClientAddress,
    owner: () => Participant,
    {
      maxBitrate = MAX_BITRATE.participant,
      onState = () => undefined,
    }: { readonly maxBitrate?: number; readonly onState?: (state: TransportState) => void } = {},
  ): PublisherConnection {
    const { plane } = this.#options
    return new PublisherConnection({
      plane,
      maxBitrate,
      candidates: plane.candidatesFor(client),
      onState,
      mayAnnounce: () => room.hasRoomForTrack,
      onPublished: (track) => room.published(track, owner()),
      onUnpublished: (track) => room.unpublished(track, owner()),
      onDemand: (track, highestLayer) => {
        const message = raiseDemand(track, highestLayer)
        if (message) owner().send(message)
      },
    })
  }

  #newParticipant(room: Room, { grant, query, client }: AdmittedClient): Participant {
    const { plane } = this.#options
    const candidates = plane.candidatesFor(client)
    const publisher = this.#newPublisher(room, client, () => participant)
    const subscriber = new SubscriberConnection({
      plane,
      candidates,
      takesRedundancy: query.takesRedundancy,
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
    if (state === 'connected') {
      room.enter(participant, State.ACTIVE)
      this.#options.onMedia(room.name, participant.account)
    }
    if (state !== 'closed' || !participant.hasMedia) return
    room.enter(participant, State.JOINED)
    this.#options.onLost(room.name, participant.account)
  }
}
