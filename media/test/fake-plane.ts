import type { Forwarder } from '../src/forward/forwarder.ts'
import type { PublishedTrack, PublishedTrackOptions } from '../src/forward/published-track.ts'
import type { AcceptedExtras, Subscription } from '../src/forward/subscription.ts'
import type { MediaPlane } from '../src/room/media-plane.ts'
import { viewerCodec } from '../src/sdp/viewer-codec.ts'
import type { DtlsRole, Transport } from '../src/transport/transport.ts'

export interface FakeTransport extends Transport {
  restarts: number
  isClosed: boolean
  expected: string | undefined
  role: DtlsRole | undefined
}

interface FakeTrack extends PublishedTrack {
  isClosed: boolean
  voice: number
  demand: number
  readonly onDemand: PublishedTrackOptions['onDemand']
  readonly withRedundancy: boolean
}

/** A packet plane without packets, for tests of signaling alone. */
export class FakePlane implements MediaPlane {
  readonly transports: FakeTransport[] = []
  readonly tracks: FakeTrack[] = []
  readonly subscriptions: (Subscription & {
    isStarted: boolean
    isPaused: boolean
    isStarved: boolean
    accepted: AcceptedExtras
  })[] = []
  readonly forwarder: Forwarder = {
    counters: {
      packetsIn: 0,
      bytesIn: 0,
      packetsOut: 0,
      bytesOut: 0,
      repeated: 0,
      lostIn: 0,
      dropped: 0,
      overLimit: 0,
      keyframeRequests: 0,
    },
    addPublisher: () => ({
      publish: (section, options = {}) => this.#publish(section, options),
      roundTripTime: null,
      close: () => undefined,
    }),
    addViewer: () => ({
      subscribe: (track) => this.#subscribe(track),
      roundTripTime: null,
      isLimited: false,
      close: () => undefined,
    }),
    tick: () => undefined,
    close: () => undefined,
  }

  candidatesFor = () => ['candidate:1 1 udp 2130706431 127.0.0.1 7882 typ host']

  createTransport(): Transport {
    const index = this.transports.length
    const fake: FakeTransport = {
      restarts: 0,
      isClosed: false,
      expected: undefined,
      role: undefined,
      get local() {
        return {
          ufrag: `ours${index}x${fake.restarts}`,
          pwd: 'p'.repeat(24),
          fingerprint: `sha-256 ${'AB:'.repeat(31)}AB`,
        }
      },
      state: 'connected',
      expect({ fingerprint }, role) {
        fake.expected = fingerprint
        fake.role = role
      },
      onRtp: () => undefined,
      onRtcp: () => undefined,
      onState: () => undefined,
      sendRtp: () => undefined,
      sendRtcp: () => undefined,
      forget: () => undefined,
      restart: () => (fake.restarts += 1),
      close: () => (fake.isClosed = true),
    }
    this.transports.push(fake)
    return fake
  }

  /** A viewer begins to show this layer at most, or stops. */
  changeDemand(track: FakeTrack, demand: number): void {
    track.demand = demand
    track.onDemand?.(demand)
  }

  #publish(section: PublishedTrack['section'], options: PublishedTrackOptions): PublishedTrack {
    const { isMuted: muted = false, withRedundancy = true, onDemand } = options
    const track = {
      onDemand,
      withRedundancy,
      section,
      kind: section.kind,
      isMuted: muted,
      isClosed: false,
      voice: 0,
      demand: -1,
      setMuted: (isMuted: boolean) => (track.isMuted = isMuted),
      setSizes: () => undefined,
      requestKeyframe: () => undefined,
      takeAudioLevel: () => ({ level: track.voice, voiced: track.voice, packets: 15 }),
      statistics: { packets: 0, bytes: 0, lost: 0, fractionLost: 0, jitter: 0, bitrate: 0 },
      close: () => (track.isClosed = true),
    }
    this.tracks.push(track)
    return track
  }

  #subscribe(track: PublishedTrack): Subscription {
    const ssrc = 1000 + this.subscriptions.length
    const subscription = {
      ...viewerCodec(track.section.codec, this.tracks.find((each) => each === track)?.withRedundancy),
      accepted: {},
      track,
      ssrc,
      repairSsrc: track.kind === 'video' ? ssrc + 100_000 : null,
      isStarted: false,
      isPaused: false,
      isStarved: false,
      isClosed: false,
      start: (accepted: AcceptedExtras = {}) => Object.assign(subscription, { isStarted: true, accepted }),
      setPaused: (isPaused: boolean) => (subscription.isPaused = isPaused),
      setTarget: () => undefined,
      statistics: { packets: 0, bytes: 0, fractionLost: 0, bitrate: 0, layer: 0 },
      close: () => (subscription.isClosed = true),
    }
    this.subscriptions.push(subscription)
    return subscription
  }
}
