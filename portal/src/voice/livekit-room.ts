import type { VoiceSession } from '@portico/contract'
import type { RemoteTrack, Room, Track } from 'livekit-client'

export type Quality = 'good' | 'poor' | 'lost' | 'unknown'

/** A camera or a shared screen. */
export interface Picture {
  readonly id: string
  readonly userId: string
  readonly ofScreen: boolean
  show(element: HTMLVideoElement): () => void
}

/** The media state of the room. */
export interface RoomMedia {
  /** Other participants whose microphone is off. */
  readonly silent: readonly string[]
  /** Screens first. */
  readonly pictures: readonly Picture[]
  readonly canPublish: boolean
  readonly sharesScreen: boolean
  readonly showsCamera: boolean
}

/**
 * `elsewhere`: the account connected from another page. `removed`: the portal removed it. `lost`: the connection broke.
 */
export type DisconnectReason = 'elsewhere' | 'removed' | 'lost'

/** Callbacks for what the media server reports. */
export interface MediaEvents {
  readonly state: (state: 'connected' | 'reconnecting') => void
  readonly ended: (why: DisconnectReason) => void
  readonly speaking: (userIds: readonly string[]) => void
  readonly quality: (quality: Quality) => void
  readonly scene: (scene: RoomMedia) => void
}

export interface MediaControls {
  setMicrophone(on: boolean): Promise<void>
  setScreen(on: boolean): Promise<void>
  setCamera(on: boolean): Promise<void>
  setDeafened(deafened: boolean): void
}

/** While only the signalling connection is down, sound goes on: a short interruption isn't shown. */
const SIGNAL_TIMEOUT_MS = 2000

/**
 * Connects to the media server until the signal aborts it, at any stage: of two connections of one account the media
 * server closes the older, so one that is no longer wanted must not succeed late. The client library is loaded here,
 * when someone joins.
 */
export async function connectToRoom(
  session: VoiceSession,
  events: MediaEvents,
  until: AbortSignal,
): Promise<MediaControls> {
  const {
    Room: MediaRoom,
    RoomEvent,
    Track: Tracks,
    ConnectionQuality,
    ConnectionState,
    DisconnectReason,
  } = await import('livekit-client')
  until.throwIfAborted()
  const room = new MediaRoom({ singlePeerConnection: false })
  const playing = new Map<string, HTMLMediaElement>()
  const pictures = new WeakMap<Track, Picture>()
  let deafened = false

  const play = (track: RemoteTrack): void => {
    if (track.kind !== Tracks.Kind.Audio || track.sid === undefined) return
    const element = track.attach()
    element.muted = deafened
    playing.set(track.sid, element)
    document.body.append(element)
  }
  const stop = (track: RemoteTrack): void => {
    if (track.kind !== Tracks.Kind.Audio || track.sid === undefined) return
    track.detach()
    playing.get(track.sid)?.remove()
    playing.delete(track.sid)
  }
  const reportMedia = (): void => events.scene(sceneOf(room, Tracks.Source.ScreenShare, pictures))

  room.on(RoomEvent.TrackSubscribed, play).on(RoomEvent.TrackUnsubscribed, stop)
  for (const event of [
    RoomEvent.ParticipantConnected,
    RoomEvent.ParticipantDisconnected,
    RoomEvent.ParticipantPermissionsChanged,
    RoomEvent.TrackPublished,
    RoomEvent.TrackUnpublished,
    RoomEvent.TrackSubscribed,
    RoomEvent.TrackUnsubscribed,
    RoomEvent.TrackMuted,
    RoomEvent.TrackUnmuted,
    RoomEvent.LocalTrackPublished,
    RoomEvent.LocalTrackUnpublished,
    RoomEvent.Reconnected,
  ] as const) {
    room.on(event, reportMedia)
  }
  room
    .on(RoomEvent.ActiveSpeakersChanged, (speakers) => events.speaking(speakers.map(({ identity }) => identity)))
    .on(RoomEvent.ConnectionQualityChanged, (quality, participant) => {
      if (!participant.isLocal) return
      const better = { [ConnectionQuality.Excellent]: 'good', [ConnectionQuality.Good]: 'good' } as const
      const worse = { [ConnectionQuality.Poor]: 'poor', [ConnectionQuality.Lost]: 'lost' } as const
      events.quality({ ...better, ...worse, [ConnectionQuality.Unknown]: 'unknown' as const }[quality])
    })
    .on(RoomEvent.SignalReconnecting, () => {
      setTimeout(() => {
        if (room.state === ConnectionState.SignalReconnecting) events.state('reconnecting')
      }, SIGNAL_TIMEOUT_MS)
    })
    .on(RoomEvent.Reconnecting, () => events.state('reconnecting'))
    .on(RoomEvent.Reconnected, () => events.state('connected'))
    .on(RoomEvent.Disconnected, (reason) => {
      for (const element of playing.values()) element.remove()
      playing.clear()
      if (reason === DisconnectReason.DUPLICATE_IDENTITY) return events.ended('elsewhere')
      const wanted = reason === DisconnectReason.PARTICIPANT_REMOVED || reason === DisconnectReason.ROOM_DELETED
      events.ended(wanted ? 'removed' : 'lost')
    })
  until.addEventListener('abort', () => void room.disconnect())
  await room.connect(session.url, session.token)
  until.throwIfAborted()
  events.state('connected')
  reportMedia()
  return {
    setMicrophone: async (on) => void (await room.localParticipant.setMicrophoneEnabled(on)),
    setScreen: async (on) => void (await room.localParticipant.setScreenShareEnabled(on, { audio: true })),
    setCamera: async (on) => void (await room.localParticipant.setCameraEnabled(on)),
    setDeafened: (next) => {
      deafened = next
      for (const element of playing.values()) element.muted = next
    },
  }
}

function sceneOf(room: Room, screen: Track.Source, pictures: WeakMap<Track, Picture>): RoomMedia {
  const { localParticipant: own, remoteParticipants } = room
  const others = [...remoteParticipants.values()]
  const shown = [own, ...others].flatMap(({ identity, videoTrackPublications }) =>
    [...videoTrackPublications.values()].flatMap(({ trackSid, track, source, isMuted }) => {
      if (!track || isMuted) return []
      const known = pictures.get(track)
      if (known?.id === trackSid) return [known]
      const picture = pictureOf(track, { id: trackSid, userId: identity, ofScreen: source === screen })
      pictures.set(track, picture)
      return [picture]
    }),
  )
  return {
    silent: others.flatMap(({ identity, isMicrophoneEnabled }) => (isMicrophoneEnabled ? [] : [identity])),
    pictures: shown.toSorted((a, b) => Number(b.ofScreen) - Number(a.ofScreen)),
    canPublish: own.permissions?.canPublish ?? false,
    sharesScreen: own.isScreenShareEnabled,
    showsCamera: own.isCameraEnabled,
  }
}

function pictureOf(track: Track, about: Omit<Picture, 'show'>): Picture {
  return {
    ...about,
    show: (element) => {
      track.attach(element)
      return () => void track.detach(element)
    },
  }
}
