import type { Participant, Room, Track } from 'livekit-client'
import { isProgram, userIdOf } from './user-id-of.ts'

export type Quality = 'excellent' | 'good' | 'poor' | 'lost' | 'unknown'

/** A camera, a shared screen or what a program broadcasts. */
export interface Picture {
  readonly id: string
  readonly userId: string
  readonly ofScreen: boolean
  /** From OBS or the like, which counts as a screen. */
  readonly ofProgram: boolean
  show(element: HTMLVideoElement): () => void
}

/** The media state of the room. */
export interface RoomMedia {
  /** Other participants whose microphone is off. */
  readonly silent: readonly string[]
  /** How well everyone is connected, by user id. */
  readonly qualities: Readonly<Record<string, Quality>>
  /** Screens first. */
  readonly pictures: readonly Picture[]
  /** The ids of pictures that the media server doesn't send because the network to this browser is too slow. */
  readonly paused: readonly string[]
  readonly canPublish: boolean
  readonly microphoneIsOn: boolean
  readonly sharesScreen: boolean
  readonly showsCamera: boolean
}

/** The media state of a room before the media server reports one. */
export const NO_MEDIA: Omit<RoomMedia, 'canPublish'> = {
  silent: [],
  qualities: {},
  pictures: [],
  paused: [],
  microphoneIsOn: false,
  sharesScreen: false,
  showsCamera: false,
}

/** Values of the client library, which is loaded when someone joins. */
interface Library {
  readonly ConnectionQuality: typeof import('livekit-client').ConnectionQuality
  readonly Track: typeof import('livekit-client').Track
}

/** Reads the media state of a room. A picture stays the same object while it is shown, so that it isn't attached again. */
export class RoomMediaReader {
  readonly #room: Room
  readonly #library: Library
  readonly #pictures = new WeakMap<Track, Picture>()
  #last: RoomMedia | undefined

  constructor(room: Room, library: Library) {
    this.#room = room
    this.#library = library
  }

  read(): RoomMedia {
    this.#last = this.#read()
    return this.#last
  }

  /** Whether the room differs from what was read last. */
  hasChanged(): boolean {
    const [last, now] = [this.#last, this.#read()]
    const hasSamePictures = now.pictures.every((picture, at) => picture === last?.pictures[at])
    return !hasSamePictures || JSON.stringify(now) !== JSON.stringify(last)
  }

  #read(): RoomMedia {
    const { localParticipant: own, remoteParticipants } = this.#room
    const others = [...remoteParticipants.values()]
    const people = others.filter((participant) => !isProgram(participant))
    return {
      silent: people.filter(({ isMicrophoneEnabled }) => !isMicrophoneEnabled).map(userIdOf),
      qualities: Object.fromEntries(
        [own, ...people].map((participant) => [userIdOf(participant), this.quality(participant.connectionQuality)]),
      ),
      pictures: [own, ...others]
        .flatMap((participant) => this.#picturesOf(participant))
        .toSorted((a, b) => Number(b.ofScreen) - Number(a.ofScreen)),
      paused: others.flatMap((participant) => this.#pausedOf(participant)),
      canPublish: own.permissions?.canPublish ?? false,
      microphoneIsOn: own.isMicrophoneEnabled,
      sharesScreen: own.isScreenShareEnabled,
      showsCamera: own.isCameraEnabled,
    }
  }

  quality(quality: Participant['connectionQuality']): Quality {
    const { ConnectionQuality } = this.#library
    if (quality === ConnectionQuality.Poor) return 'poor'
    if (quality === ConnectionQuality.Lost) return 'lost'
    if (quality === ConnectionQuality.Good) return 'good'
    return quality === ConnectionQuality.Excellent ? 'excellent' : 'unknown'
  }

  #pausedOf({ videoTrackPublications }: Participant): string[] {
    const published = [...videoTrackPublications.values()]
    const { StreamState } = this.#library.Track
    return published.filter(({ track }) => track?.streamState === StreamState.Paused).map(({ trackSid }) => trackSid)
  }

  #picturesOf(participant: Participant): Picture[] {
    return [...participant.videoTrackPublications.values()].flatMap(({ trackSid, track, source, isMuted }) => {
      const ofScreen = source === this.#library.Track.Source.ScreenShare
      // A window that is minimized mutes its screen: its last picture stays.
      if (!track || (isMuted && !ofScreen)) return []
      const known = this.#pictures.get(track)
      if (known?.id === trackSid) return [known]
      const [userId, ofProgram] = [userIdOf(participant), isProgram(participant)]
      const picture = pictureOf(track, { id: trackSid, userId, ofScreen, ofProgram })
      this.#pictures.set(track, picture)
      return [picture]
    })
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
