import type { VoiceSession } from '@portico/contract'
import type { Participant, RemoteTrack, Room, Track } from 'livekit-client'

export type Quality = 'good' | 'poor' | 'lost' | 'unknown'

/** A picture that somebody shows: their camera or their screen. */
export interface Picture {
  readonly id: string
  readonly userId: string
  show(element: HTMLVideoElement): () => void
}

/** What is going on in the room, as the media server tells it. */
export interface SoundEvents {
  readonly state: (state: 'connected' | 'reconnecting' | 'ended') => void
  readonly speaking: (userIds: readonly string[]) => void
  readonly silent: (userId: string, silent: boolean) => void
  readonly quality: (quality: Quality) => void
  readonly pictures: (pictures: readonly Picture[]) => void
}

export interface Sound {
  setMicrophone(on: boolean): Promise<void>
  setScreen(on: boolean): Promise<void>
  setDeafened(deafened: boolean): void
  leave(): Promise<void>
}

/** Connects to the media server. What it needs is loaded here, when somebody joins, and not before. */
export async function openSound(session: VoiceSession, tell: SoundEvents): Promise<Sound> {
  const { Room: MediaRoom, RoomEvent, Track: Tracks, ConnectionQuality } = await import('livekit-client')
  const room = new MediaRoom({ singlePeerConnection: false })
  const playing = new Map<string, HTMLMediaElement>()
  let deafened = false

  const play = (track: RemoteTrack): void => {
    if (track.kind !== Tracks.Kind.Audio || track.sid === undefined) return tellPictures()
    const element = track.attach()
    element.muted = deafened
    playing.set(track.sid, element)
    document.body.append(element)
  }
  const stop = (track: RemoteTrack): void => {
    for (const element of track.detach()) element.remove()
    if (track.sid !== undefined) playing.delete(track.sid)
    tellPictures()
  }
  const hush = ({ kind }: { kind: Track.Kind }, { identity }: Participant, silent: boolean): void => {
    if (kind === Tracks.Kind.Audio) tell.silent(identity, silent)
  }
  const tellPictures = (): void => tell.pictures(picturesOf(room))

  room
    .on(RoomEvent.TrackSubscribed, play)
    .on(RoomEvent.TrackUnsubscribed, stop)
    .on(RoomEvent.LocalTrackPublished, tellPictures)
    .on(RoomEvent.LocalTrackUnpublished, tellPictures)
    .on(RoomEvent.TrackMuted, (track, participant) => hush(track, participant, true))
    .on(RoomEvent.TrackUnmuted, (track, participant) => hush(track, participant, false))
    .on(RoomEvent.ActiveSpeakersChanged, (speakers) => tell.speaking(speakers.map(({ identity }) => identity)))
    .on(RoomEvent.ConnectionQualityChanged, (quality, participant) => {
      if (!participant.isLocal) return
      const words = { [ConnectionQuality.Excellent]: 'good', [ConnectionQuality.Good]: 'good' } as const
      const worse = { [ConnectionQuality.Poor]: 'poor', [ConnectionQuality.Lost]: 'lost' } as const
      tell.quality({ ...words, ...worse, [ConnectionQuality.Unknown]: 'unknown' as const }[quality])
    })
    .on(RoomEvent.Reconnecting, () => tell.state('reconnecting'))
    .on(RoomEvent.Reconnected, () => tell.state('connected'))
    .on(RoomEvent.Disconnected, () => {
      for (const element of playing.values()) element.remove()
      tell.state('ended')
    })
  await room.connect(session.url, session.token)
  tell.state('connected')
  return {
    setMicrophone: async (on) => void (await room.localParticipant.setMicrophoneEnabled(on)),
    setScreen: async (on) => void (await room.localParticipant.setScreenShareEnabled(on, { audio: true })),
    setDeafened: (next) => {
      deafened = next
      for (const element of playing.values()) element.muted = next
    },
    leave: () => room.disconnect(),
  }
}

function picturesOf(room: Room): Picture[] {
  const everybody = [room.localParticipant, ...room.remoteParticipants.values()]
  return everybody.flatMap((participant) =>
    [...participant.videoTrackPublications.values()].flatMap(({ trackSid, track }) =>
      track
        ? [
            {
              id: trackSid,
              userId: participant.identity,
              show: (element: HTMLVideoElement) => {
                track.attach(element)
                return () => void track.detach(element)
              },
            },
          ]
        : [],
    ),
  )
}
