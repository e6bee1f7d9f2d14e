import {
  RequestResponse,
  RequestResponse_Reason as Reason,
  SubscriptionError,
  SubscriptionResponse,
  TrackPublishedResponse,
  TrackSource,
  TrackType,
  TrackUnpublishedResponse,
  VideoQuality,
  type AddTrackRequest,
  type MuteTrackRequest,
  type SyncState,
  type UpdateParticipantMetadata,
  type UpdateSubscription,
  type UpdateTrackSettings,
} from '@livekit/protocol'
import type { Subscription } from '../forward/subscription.ts'
import type { Present } from '../room/rooms.ts'

/** In bytes: a client's description of a track is sent to everyone in the room whenever it changes. */
const LARGEST_ANNOUNCEMENT = 2048
/** Tracks that one message may name; the rest of a longer list is ignored. */
const MOST_NAMED = 256

/** Viewers show a track by its source, so that it must fit what is sent. */
const SOURCES: Readonly<Partial<Record<TrackType, readonly TrackSource[]>>> = {
  [TrackType.AUDIO]: [TrackSource.UNKNOWN, TrackSource.MICROPHONE, TrackSource.SCREEN_SHARE_AUDIO],
  [TrackType.VIDEO]: [TrackSource.UNKNOWN, TrackSource.CAMERA, TrackSource.SCREEN_SHARE],
}

/** Announces a track. A refusal is answered: after silence the client would wait ten seconds. */
export function addTrack({ participant }: Present, request: AddTrackRequest): void {
  const refuse = (reason: Reason, message: string): void => {
    const value = new RequestResponse({ reason, message, request: { case: 'addTrack', value: request } })
    participant.send({ case: 'requestResponse', value })
  }
  if (!participant.permissions.canPublish) return refuse(Reason.NOT_ALLOWED, 'may not publish')
  if (!SOURCES[request.type]?.includes(request.source)) return refuse(Reason.UNSUPPORTED_TYPE, 'no such track')
  if (request.toBinary().length > LARGEST_ANNOUNCEMENT) return refuse(Reason.LIMIT_EXCEEDED, 'too large')
  const track = participant.publisher.announce(request)
  if (!track) return refuse(Reason.LIMIT_EXCEEDED, 'too many tracks')
  const value = new TrackPublishedResponse({ cid: track.cid, track: track.info })
  participant.send({ case: 'trackPublished', value })
  participant.publisher.publishAnnounced()
}

export function muteTrack({ room, participant }: Present, { sid, muted }: MuteTrackRequest): void {
  const track = participant.publisher.track(sid)
  if (track) room.mute(participant, track, muted)
}

export function updateSubscription({ room, participant }: Present, request: UpdateSubscription): void {
  const sids = [...request.trackSids, ...request.participantTracks.flatMap(({ trackSids }) => trackSids)]
  for (const trackSid of distinct(sids)) {
    if (room.subscribe(participant, trackSid, request.subscribe) || !request.subscribe) continue
    const value = new SubscriptionResponse({ trackSid, err: SubscriptionError.SE_TRACK_NOTFOUND })
    participant.send({ case: 'subscriptionResponse', value })
  }
}

/** What a client shows of tracks: in which size, or not at all. */
export function updateTrackSettings({ participant }: Present, request: UpdateTrackSettings): void {
  for (const sid of distinct(request.trackSids)) {
    const subscription = participant.subscriber?.subscriptions.get(sid)
    if (subscription) applySettings(subscription, request)
  }
}

function applySettings(subscription: Subscription, settings: UpdateTrackSettings): void {
  const { disabled, quality, width, height } = settings
  subscription.setPaused(disabled || quality === VideoQuality.OFF)
  if (width > 0 && height > 0) subscription.setTarget({ width, height })
  else if (quality !== VideoQuality.OFF) subscription.setTarget({ maxLayer: quality })
}

/** After resuming, a client says what it publishes. What has been withdrawn meanwhile ends. */
export function syncState({ participant }: Present, { publishTracks }: SyncState): void {
  for (const { track } of publishTracks.slice(0, MOST_NAMED)) {
    if (!track || participant.publisher.track(track.sid)) continue
    const value = new TrackUnpublishedResponse({ trackSid: track.sid })
    participant.send({ case: 'trackUnpublished', value })
  }
}

/** Names are the portal's. */
export function refuseMetadata({ participant }: Present, request: UpdateParticipantMetadata): void {
  const value = new RequestResponse({
    requestId: request.requestId,
    reason: Reason.NOT_ALLOWED,
    message: 'may not change metadata',
    request: { case: 'updateMetadata', value: request },
  })
  participant.send({ case: 'requestResponse', value })
}

function distinct(sids: readonly string[]): ReadonlySet<string> {
  return new Set(sids.slice(0, MOST_NAMED))
}
