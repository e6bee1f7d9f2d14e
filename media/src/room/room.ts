import {
  DisconnectReason,
  LeaveRequest,
  LeaveRequest_Action as LeaveAction,
  ParticipantInfo_State as State,
  ParticipantUpdate,
  StreamStateInfo,
  StreamStateUpdate,
  TrackSubscribed,
  TrackUnpublishedResponse,
  type ParticipantInfo,
} from '@livekit/protocol'
import { writeMessage, type ServerMessage } from '../signal/codec.ts'
import { reviewDemand } from './demand.ts'
import { Departures } from './departures.ts'
import type { Participant } from './participant.ts'
import type { Permissions } from './permissions.ts'
import { newSid } from './sid.ts'
import { SpeakerList } from './speakers.ts'
import { QualityList } from './quality.ts'
import type { Track } from './track.ts'
import { UpdateThrottle } from './update-throttle.ts'

/** More people than one process can serve in a room. */
export const MOST_PARTICIPANTS = 500
/** Everyone receives all of them in one connection, whose description has a section for each. */
const MOST_TRACKS = 200

/** The participants of a room, and the updates that they receive. */
export class Room {
  readonly sid = newSid('RM')
  readonly name: string
  readonly createdAt = Date.now()
  readonly #participants = new Map<string, Participant>()
  readonly #departures = new Departures()
  readonly #onPublishing: (participant: Participant) => void
  readonly #speakers = new SpeakerList()
  readonly #qualities = new QualityList()
  /** Published, but not offered to the others yet. */
  readonly #unoffered = new Set<Track>()
  /** Whose next update goes to themselves too. */
  readonly #informed = new Set<Participant>()
  readonly #updates = new UpdateThrottle((participant) => this.#update(participant))
  /** Who doesn't want new tracks by themselves. */
  readonly #selective = new WeakSet<Participant>()

  /** `onPublishing` is called when what someone sends has changed. */
  constructor(name: string, onPublishing: (participant: Participant) => void) {
    this.name = name
    this.#onPublishing = onPublishing
  }

  get participants(): readonly Participant[] {
    return [...this.#participants.values()]
  }

  get isFull(): boolean {
    return this.#participants.size >= MOST_PARTICIPANTS
  }

  /** Whether one more track may be announced. */
  get hasRoomForTrack(): boolean {
    return this.participants.reduce((sum, { publisher }) => sum + publisher.tracks.length, 0) < MOST_TRACKS
  }

  find(identity: string): Participant | undefined {
    return this.#participants.get(identity)
  }

  others(participant: Participant): Participant[] {
    return this.participants.filter((other) => other !== participant)
  }

  /** Lets someone in whom the room doesn't contain yet. `welcome` sends them their first message. */
  add(participant: Participant, autoSubscribe: boolean, welcome: () => void): void {
    this.#participants.set(participant.identity, participant)
    participant.enter(State.JOINED)
    welcome()
    this.#broadcast(update([participant.info()]), participant)
    if (!autoSubscribe) this.#selective.add(participant)
    this.#offerAllTo(participant)
    participant.subscriber?.negotiate()
  }

  /** Ends someone's participation; does nothing if they have left. */
  remove(participant: Participant, reason: DisconnectReason, action?: LeaveAction): void {
    if (this.#participants.get(participant.identity) !== participant) return
    this.#participants.delete(participant.identity)
    if (action !== undefined) participant.send(leave(reason, action))
    participant.close()
    participant.link?.close(1000)
    participant.detach()
    const info = participant.info()
    info.disconnectReason = reason
    this.#departures.add(info)
    this.#updates.forget(participant)
    this.#informed.delete(participant)
    this.#broadcast(update([info]))
  }

  /** Media started or stopped flowing. */
  enter(participant: Participant, state: State): void {
    if (this.#participants.get(participant.identity) !== participant) return
    participant.enter(state)
    this.#changed(participant)
  }

  published(track: Track, owner: Participant): void {
    this.#unoffered.add(track)
    owner.touch()
    this.#updates.changed(owner)
  }

  unpublished(track: Track, owner: Participant): void {
    this.#unoffered.delete(track)
    owner.touch()
    for (const viewer of this.others(owner)) viewer.subscriber?.unsubscribe(track.sid)
    if (this.#participants.get(owner.identity) === owner) this.#updates.changed(owner)
  }

  /** Mutes a track for everyone, as its publisher asked. */
  mute(owner: Participant, { info, published }: Track, isMuted: boolean): void {
    if (info.muted === isMuted) return
    info.muted = isMuted
    published?.setMuted(isMuted)
    owner.touch()
    if (published) this.#changed(owner)
  }

  /** Who may no longer publish is silent immediately: their tracks end before they learn of it. */
  permit(participant: Participant, permissions: Permissions): void {
    const { canPublish, canSubscribe } = participant.permissions
    if (permissions.canPublish === canPublish && permissions.canSubscribe === canSubscribe) return
    participant.permit(permissions)
    if (!permissions.canPublish) this.#unpublishAll(participant)
    if (!permissions.canSubscribe) participant.subscriber?.unsubscribeAll()
    else if (!canSubscribe) this.#offerAllTo(participant)
    this.#changed(participant)
  }

  /** Someone receives the track. Its publisher is notified of the first viewer. */
  viewed(sid: string): void {
    const { owner, track } = this.#trackOf(sid) ?? {}
    if (!track || track.wasViewed) return
    track.wasViewed = true
    owner?.send({ case: 'trackSubscribed', value: new TrackSubscribed({ trackSid: sid }) })
  }

  /** Returns false if there is no such track. */
  subscribe(viewer: Participant, sid: string, wanted: boolean): boolean {
    const { owner, track } = this.#trackOf(sid) ?? {}
    if (!owner || !track || owner === viewer) return false
    if (!wanted) viewer.subscriber?.unsubscribe(sid)
    else if (viewer.permissions.canSubscribe) viewer.subscriber?.subscribe(track, owner.sid)
    return true
  }

  /** What someone may have missed while their signaling was broken. */
  catchUp(participant: Participant): void {
    const infos = this.participants.map((other) => other.info())
    participant.send(update([...infos, ...this.#departures.recent()]))
    participant.streamStates.repeat()
  }

  /** Called every few hundred milliseconds. */
  sendSpeakers(): void {
    const message = this.#speakers.changes(this.participants)
    if (message) this.#broadcast(message)
  }

  /** Tells everyone which pictures are paused because their own network is slow. Called every few hundred milliseconds. */
  sendStreamStates(): void {
    for (const viewer of this.participants) {
      if (!viewer.subscriber || !viewer.link) continue
      const infos = viewer.streamStates.changes(viewer.subscriber.subscriptions).map(([trackSid, state]) => {
        const participantSid = this.#trackOf(trackSid)?.owner.sid ?? ''
        return new StreamStateInfo({ participantSid, trackSid, state })
      })
      if (infos.length === 0) continue
      viewer.send({ case: 'streamStateUpdate', value: new StreamStateUpdate({ streamStates: infos }) })
    }
  }

  /** Called every few seconds. */
  sendQuality(): void {
    const message = this.#qualities.changes(this.participants)
    if (message) this.#broadcast(message)
  }

  /** Called every few seconds. */
  sendDemand(): void {
    for (const participant of this.participants) {
      for (const track of participant.publisher.tracks) {
        const message = reviewDemand(track)
        if (message) participant.send(message)
      }
    }
  }

  /** Something has changed that also concerns the participant themselves. */
  #changed(participant: Participant): void {
    this.#informed.add(participant)
    this.#updates.changed(participant)
  }

  /** Sends what someone is and does now, and then offers their new tracks. */
  #update(participant: Participant): void {
    const isInformed = this.#informed.delete(participant)
    this.#broadcast(update([participant.info()]), isInformed ? undefined : participant)
    for (const track of participant.publisher.tracks) {
      if (!this.#unoffered.delete(track)) continue
      for (const viewer of this.others(participant)) this.#offer(viewer, track, participant)
    }
    this.#onPublishing(participant)
  }

  #trackOf(sid: string): { owner: Participant; track: Track } | undefined {
    for (const owner of this.#participants.values()) {
      const track = owner.publisher.track(sid)
      if (track?.published) return { owner, track }
    }
    return undefined
  }

  #broadcast(message: ServerMessage, except?: Participant): void {
    if (this.#participants.size === 0) return
    const bytes = writeMessage(message)
    for (const participant of this.#participants.values()) if (participant !== except) participant.sendBytes(bytes)
  }

  #unpublishAll(participant: Participant): void {
    for (const track of participant.publisher.tracks) {
      participant.publisher.unpublish(track)
      const value = new TrackUnpublishedResponse({ trackSid: track.sid })
      participant.send({ case: 'trackUnpublished', value })
    }
  }

  #offerAllTo(viewer: Participant): void {
    for (const owner of this.others(viewer)) {
      for (const track of owner.publisher.tracks) this.#offer(viewer, track, owner)
    }
  }

  #offer(viewer: Participant, track: Track, owner: Participant): void {
    if (viewer.permissions.canSubscribe && !this.#selective.has(viewer)) viewer.subscriber?.subscribe(track, owner.sid)
  }
}

export function leave(reason: DisconnectReason, action: LeaveAction): ServerMessage {
  return { case: 'leave', value: new LeaveRequest({ reason, action, canReconnect: action !== LeaveAction.DISCONNECT }) }
}

function update(participants: ParticipantInfo[]): ServerMessage {
  return { case: 'update', value: new ParticipantUpdate({ participants }) }
}
