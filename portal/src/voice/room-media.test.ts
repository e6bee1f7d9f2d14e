import * as library from 'livekit-client'
import { describe, expect, test } from 'vitest'
import { RoomMediaReader } from './room-media.ts'

const { ConnectionQuality, Track } = library

/** A participant as the client library shows it. */
function participant(identity: string, about: object = {}) {
  return {
    identity,
    isMicrophoneEnabled: true,
    connectionQuality: ConnectionQuality.Excellent,
    videoTrackPublications: new Map<string, object>(),
    permissions: { canPublish: true },
    isScreenShareEnabled: false,
    isCameraEnabled: false,
    ...about,
  }
}

const video = (
  trackSid: string,
  source: library.Track.Source,
  isMuted = false,
  streamState = Track.StreamState.Active,
) => [trackSid, { trackSid, source, isMuted, track: { streamState } }] as const

function readerOf(...others: ReturnType<typeof participant>[]): RoomMediaReader {
  const remoteParticipants = new Map(others.map((other) => [other.identity, other]))
  const room = { localParticipant: participant('me'), remoteParticipants } as unknown as library.Room
  return new RoomMediaReader(room, library)
}

describe('RoomMediaReader', () => {
  test('lists others whose microphone is off, and how well everyone is connected', () => {
    const media = readerOf(
      participant('ada', { isMicrophoneEnabled: false }),
      participant('bob', { connectionQuality: ConnectionQuality.Poor }),
      participant('eve', { connectionQuality: ConnectionQuality.Lost }),
      participant('joe', { connectionQuality: ConnectionQuality.Unknown }),
    ).read()
    expect(media.silent).toEqual(['ada'])
    expect(media.qualities).toEqual({ me: 'excellent', ada: 'excellent', bob: 'poor', eve: 'lost', joe: 'unknown' })
  })

  test('lists screens before cameras, without cameras that are off, and keeps what it has listed', () => {
    const tracks = new Map([
      video('camera', Track.Source.Camera),
      video('muted', Track.Source.Camera, true),
      video('screen', Track.Source.ScreenShare),
      video('minimized', Track.Source.ScreenShare, true),
    ])
    const reader = readerOf(participant('ada', { videoTrackPublications: tracks }))
    const { pictures } = reader.read()
    expect(pictures.map(({ id, userId, ofScreen }) => [id, userId, ofScreen])).toEqual([
      ['screen', 'ada', true],
      ['minimized', 'ada', true],
      ['camera', 'ada', false],
    ])
    expect(reader.read().pictures[0]).toBe(pictures[0])
  })

  test('lists pictures that the media server has paused', () => {
    const tracks = new Map([
      video('camera', Track.Source.Camera, false, Track.StreamState.Paused),
      video('screen', Track.Source.ScreenShare),
    ])
    expect(readerOf(participant('ada', { videoTrackPublications: tracks })).read().paused).toEqual(['camera'])
  })
})
