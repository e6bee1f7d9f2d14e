import type { VoiceSession } from '@portico/contract'
import type { AudioCaptureOptions, LocalTrackPublication, RoomOptions } from 'livekit-client'
import { SCREEN_SOUND } from './capture.ts'
import { RoomMediaReader, type Quality, type RoomMedia } from './room-media.ts'
import type { Reading } from './media-path.ts'
import { RoomSound } from './room-sound.ts'
import type { DeviceKind } from './voice-settings.svelte.ts'
import { soundOfSpeakers } from './sound-of-speakers.ts'
import type { SilenceWatch } from './silence-watch.ts'
import { userIdOf } from './user-id-of.ts'

/**
 * `elsewhere`: the account connected from another page. `removed`: the portal removed it. `lost`: the connection broke.
 * `silent`: it seemed to work, but nothing arrived of someone who speaks.
 */
export type DisconnectReason = 'elsewhere' | 'removed' | 'lost' | 'silent'

/** Callbacks for what the media server and the devices report. */
export interface MediaEvents {
  readonly state: (state: 'connected' | 'reconnecting') => void
  readonly ended: (why: DisconnectReason) => void
  readonly speaking: (userIds: readonly string[]) => void
  readonly quality: (quality: Quality) => void
  readonly scene: (scene: RoomMedia) => void
  /** The browser began or stopped refusing to play sound. */
  readonly soundBlocked: (blocked: boolean) => void
  /** The microphone is captured, perhaps from another device than before. */
  readonly captured: (microphone: MediaStreamTrack) => void
}

/** How the devices are used. */
export interface MediaOptions {
  readonly deviceOf: (kind: DeviceKind) => string
  readonly noiseSuppression: () => boolean
  readonly speechFilter: () => boolean
  readonly volumeOf: (userId: string) => number
  readonly silence: SilenceWatch
}

export interface MediaControls {
  setMicrophone(on: boolean): Promise<void>
  /** Silences the microphone without telling anyone that it is off. */
  setTransmitting(on: boolean): void
  setScreen(on: boolean): Promise<void>
  /** Shares a screen that was captured before. */
  shareScreen(captured: MediaStream): Promise<void>
  setCamera(on: boolean): Promise<void>
  setDeafened(deafened: boolean): void
  /** Uses the chosen device from now on. */
  useDevice(kind: DeviceKind): Promise<void>
  useNoiseSuppression(): Promise<void>
  /** Rejects if the browser can't filter; the microphone then goes on without. */
  useSpeechFilter(): Promise<void>
  useVolumes(): void
  readStatistics(): Promise<Reading>
  /** Plays sound that the browser blocked. Only works on a click. */
  startSound(): Promise<void>
}

/** While only the signaling connection is down, sound goes on: a short interruption isn't shown. */
const SIGNAL_TIMEOUT_MS = 2000
/** The client library loses events while it completes a reconnection, so that the room is also looked at regularly. */
const LOOK_INTERVAL_MS = 500
/** How long a report of who speaks is news. The media server sends one when the speakers or their volume change. */
const SPEAKERS_KNOWN_FOR_MS = 1000

/**
 * Connects to the media server until the signal aborts it, at any stage: of two connections of one account the media
 * server closes the older, so one that is no longer wanted must not succeed late. The client library is loaded here,
 * when someone joins.
 */
export async function connectToRoom(
  session: VoiceSession,
  events: MediaEvents,
  options: MediaOptions,
  until: AbortSignal,
): Promise<MediaControls> {
  const library = await import('livekit-client')
  const { Room: MediaRoom, RoomEvent, Track: Tracks, TrackEvent, ConnectionState, DisconnectReason } = library
  until.throwIfAborted()
  const room = new MediaRoom(roomOptions(options))
  const sound = new RoomSound(options.volumeOf)
  const reader = new RoomMediaReader(room, library)
  let isSilent = false
  let speakersKnownAt = -Infinity
  const reportMedia = (): void => events.scene(reader.read())
  const look = async (): Promise<void> => {
    if (room.state !== ConnectionState.Connected) return
    if (reader.hasChanged()) reportMedia()
    sound.playAll(room.remoteParticipants.values())
    const hasNews = performance.now() - speakersKnownAt <= SPEAKERS_KNOWN_FOR_MS
    if (!options.silence.isBroken(await soundOfSpeakers(room), hasNews) || until.aborted) return
    isSilent = true
    await room.disconnect()
  }
  const microphone = (): LocalTrackPublication | undefined =>
    room.localParticipant.getTrackPublication(Tracks.Source.Microphone)
  const useSpeechFilter = async (): Promise<void> => {
    const track = microphone()?.audioTrack
    const isWanted = options.speechFilter()
    if (!track || !('setProcessor' in track) || isWanted === (track.getProcessor() !== undefined)) return
    if (isWanted) {
      const { SpeechProcessor } = await import('./speech-processor.ts')
      await track.setProcessor(new SpeechProcessor())
    } else await track.stopProcessor()
    events.captured(track.mediaStreamTrack)
  }
  const reportMicrophone = ({ track, source }: LocalTrackPublication): void => {
    if (source !== Tracks.Source.Microphone || !track) return
    events.captured(track.mediaStreamTrack)
    track.on(TrackEvent.Restarted, ({ mediaStreamTrack }) => events.captured(mediaStreamTrack))
  }

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
    RoomEvent.TrackStreamStateChanged,
    RoomEvent.ConnectionQualityChanged,
    RoomEvent.Reconnected,
  ] as const) {
    room.on(event, reportMedia)
  }
  room
    .on(RoomEvent.TrackSubscribed, () => sound.playAll(room.remoteParticipants.values()))
    .on(RoomEvent.TrackUnsubscribed, (track) => sound.stop(track))
    .on(RoomEvent.LocalTrackPublished, reportMicrophone)
    .on(RoomEvent.AudioPlaybackStatusChanged, () => events.soundBlocked(!room.canPlaybackAudio))
    .on(RoomEvent.ActiveSpeakersChanged, (speakers) => {
      speakersKnownAt = performance.now()
      events.speaking(speakers.map(userIdOf))
    })
    .on(RoomEvent.ConnectionQualityChanged, (quality, participant) => {
      if (participant.isLocal) events.quality(reader.quality(quality))
    })
    .on(RoomEvent.SignalReconnecting, () => {
      setTimeout(() => {
        if (room.state === ConnectionState.SignalReconnecting) events.state('reconnecting')
      }, SIGNAL_TIMEOUT_MS)
    })
    .on(RoomEvent.Reconnecting, () => events.state('reconnecting'))
    .on(RoomEvent.Reconnected, () => events.state('connected'))
    .on(RoomEvent.Disconnected, (reason) => {
      clearInterval(looking)
      sound.stopAll()
      if (isSilent) return events.ended('silent')
      if (reason === DisconnectReason.DUPLICATE_IDENTITY) return events.ended('elsewhere')
      const wanted = reason === DisconnectReason.PARTICIPANT_REMOVED || reason === DisconnectReason.ROOM_DELETED
      events.ended(wanted ? 'removed' : 'lost')
    })
  options.silence.begin()
  const looking = setInterval(() => void look(), LOOK_INTERVAL_MS)
  until.addEventListener('abort', () => {
    clearInterval(looking)
    void room.disconnect()
  })
  await room.connect(new URL(session.url, location.href).href, session.token)
  until.throwIfAborted()
  events.state('connected')
  reportMedia()
  const own = room.localParticipant
  const idFor = (kind: DeviceKind): string => deviceIdFor(kind, options)
  return {
    setMicrophone: async (on) => {
      await own.setMicrophoneEnabled(on, microphoneOptions(options))
      // Turning the filter on reports a failure; the microphone works without it.
      if (on) await useSpeechFilter().catch(() => undefined)
    },
    setTransmitting: (on) => {
      const track = microphone()?.track
      if (track && !track.isMuted) track.mediaStreamTrack.enabled = on
    },
    setScreen: async (on) => void (await own.setScreenShareEnabled(on, { audio: SCREEN_SOUND })),
    shareScreen: async (captured) => {
      for (const track of captured.getTracks()) {
        const { ScreenShare, ScreenShareAudio } = Tracks.Source
        await own.publishTrack(track, { source: track.kind === 'video' ? ScreenShare : ScreenShareAudio })
      }
    },
    setCamera: async (on) => {
      if (on) {
        await own.setCameraEnabled(true, { deviceId: idFor('videoinput') })
        return
      }
      const camera = own.getTrackPublication(Tracks.Source.Camera)?.track
      // Not just muted: the media server reports the end of a broadcast, but not a mute.
      if (camera) await own.unpublishTrack(camera)
    },
    setDeafened: (deafened) => sound.setDeafened(deafened),
    useDevice: async (kind) => void (await room.switchActiveDevice(kind, idFor(kind), false)),
    useNoiseSuppression: async () => microphone()?.audioTrack?.restartTrack(microphoneOptions(options)),
    useSpeechFilter,
    useVolumes: () => sound.changeVolumes(),
    readStatistics: async () => {
      const { publisher, subscriber } = room.engine.pcManager ?? {}
      const [sending, receiving] = await Promise.all([publisher?.getStats(), subscriber?.getStats()])
      return { sending, receiving }
    },
    startSound: () => room.startAudio(),
  }
}

function roomOptions({ deviceOf }: MediaOptions): RoomOptions {
  return {
    singlePeerConnection: false,
    // A video that is shown small, or not at all, isn't received in full size.
    adaptiveStream: true,
    dynacast: true,
    audioOutput: { deviceId: deviceOf('audiooutput') },
  }
}

/** The system's default speaker has the empty id. */
function deviceIdFor(kind: DeviceKind, { deviceOf }: MediaOptions): string {
  return deviceOf(kind) || (kind === 'audiooutput' ? '' : 'default')
}

function microphoneOptions(options: MediaOptions): AudioCaptureOptions {
  const suppress = options.noiseSuppression()
  return {
    deviceId: deviceIdFor('audioinput', options),
    noiseSuppression: suppress,
    voiceIsolation: suppress,
    echoCancellation: true,
    autoGainControl: true,
  }
}
