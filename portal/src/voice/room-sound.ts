import type { RemoteParticipant, RemoteTrack } from 'livekit-client'
import { userIdOf } from './user-id-of.ts'

interface Playing {
  readonly userId: string
  readonly element: HTMLMediaElement
}

/** Plays what the others in a room say. */
export class RoomSound {
  readonly #playing = new Map<RemoteTrack, Playing>()
  readonly #volumeOf: (userId: string) => number
  #deafened = false

  constructor(volumeOf: (userId: string) => number) {
    this.#volumeOf = volumeOf
  }

  /** Plays all sound that is subscribed now. */
  playAll(participants: Iterable<RemoteParticipant>): void {
    for (const participant of participants) {
      for (const { track } of participant.audioTrackPublications.values()) {
        if (track && !this.#playing.has(track)) this.#play(track, userIdOf(participant))
      }
    }
  }

  stop(track: RemoteTrack): void {
    const playing = this.#playing.get(track)
    if (!playing) return
    track.detach()
    playing.element.remove()
    this.#playing.delete(track)
  }

  stopAll(): void {
    for (const { element } of this.#playing.values()) element.remove()
    this.#playing.clear()
  }

  setDeafened(deafened: boolean): void {
    this.#deafened = deafened
    this.#adjust()
  }

  /** Reads the volumes again. */
  changeVolumes(): void {
    this.#adjust()
  }

  #play(track: RemoteTrack, userId: string): void {
    const element = track.attach()
    this.#playing.set(track, { userId, element })
    this.#adjust()
    document.body.append(element)
  }

  #adjust(): void {
    for (const { userId, element } of this.#playing.values()) {
      const volume = this.#volumeOf(userId)
      // iPhones ignore the volume, but not the mute.
      element.muted = this.#deafened || volume === 0
      element.volume = volume
    }
  }
}
