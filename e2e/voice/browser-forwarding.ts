import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCertificate } from '../../media/src/dtls/certificate.ts'
import { createForwarder, type Forwarder } from '../../media/src/forward/forwarder.ts'
import type { PublishedTrack } from '../../media/src/forward/published-track.ts'
import type { Subscription } from '../../media/src/forward/subscription.ts'
import { openMediaPort } from '../../media/src/transport/media-port.ts'
import { acceptSection, type AcceptedSection, type CodecPreferences } from '../../media/src/sdp/accept.ts'
import { writeAnswer } from '../../media/src/sdp/answer.ts'
import type { Description } from '../../media/src/sdp/description.ts'
import { writeOffer } from '../../media/src/sdp/offer.ts'
import { createOfferedSections } from '../../media/src/sdp/offered-sections.ts'
import { readDescription } from '../../media/src/sdp/read.ts'
import type { EchoPage } from './echo-page.ts'

const SIZES = [
  { width: 320, height: 180 },
  { width: 640, height: 360 },
  { width: 1280, height: 720 },
]

/** Forwards between pages without rooms and signaling: the test carries the SDP. */
export interface BrowserForwarding extends AsyncDisposable {
  readonly address: string
  readonly mediaPort: number
  readonly forwarder: Forwarder
  /** Lets a page publish its microphone and its camera, with simulcast by default. */
  publish(page: EchoPage, options?: PublishOptions): Promise<{ audio: PublishedTrack; video: PublishedTrack }>
  /** Lets a page receive tracks. `withRedundancy` false: as if it didn't know RED. */
  view(page: EchoPage, tracks: readonly PublishedTrack[], options?: ViewOptions): Promise<Subscription[]>
}

export interface ViewOptions {
  readonly withRedundancy?: boolean
}

export interface PublishOptions extends CodecPreferences {
  readonly isSingleLayer?: boolean
}

/** `announced` is the port in the candidates, which differs from the media port when a relay is in between. */
export async function startForwarding(announced?: (port: number) => Promise<number>): Promise<BrowserForwarding> {
  const mediaPort = await openMediaPort({ port: 0, hosts: ['127.0.0.1'], certificate: createCertificate() })
  const port = (await announced?.(mediaPort.port)) ?? mediaPort.port
  const candidates = [`candidate:1 1 udp 2130706431 127.0.0.1 ${port} typ host`]
  const forwarder = createForwarder()
  const web = createServer((_request, response) => {
    const body = '<!doctype html><link rel="icon" href="data:,"><video autoplay muted playsinline></video>'
    response.writeHead(200, { 'content-type': 'text/html' }).end(body)
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://localhost:${(web.address() as AddressInfo).port}/`,
    mediaPort: mediaPort.port,
    forwarder,
    async publish(page, { isSingleLayer = false, ...preferences } = {}) {
      const transport = mediaPort.createTransport()
      const publisher = forwarder.addPublisher(transport)
      const offer = read(await createOffer(page, isSingleLayer))
      const accepted = new Map<string, AcceptedSection>()
      for (const section of offer.sections) {
        const taken = acceptSection(section, preferences)
        if (taken) accepted.set(section.mid, taken)
      }
      transport.expect(offer)
      const tracks = [...accepted.values()].map((section) => publisher.publish(section, { sizes: SIZES }))
      const answer = writeAnswer({ offer, local: transport.local, role: 'server', candidates, accepted, version: 1 })
      await page.evaluate((sdp) => publisherConnection.setRemoteDescription({ type: 'answer', sdp }), answer)
      return { audio: trackOf(tracks, 'audio'), video: trackOf(tracks, 'video') }
    },
    async view(page, tracks, { withRedundancy: isWanted = true } = {}) {
      const transport = mediaPort.createTransport()
      const viewer = forwarder.addViewer(transport)
      const sections = createOfferedSections()
      const subscriptions = tracks.map((track) => viewer.subscribe(track))
      for (const [index, subscription] of subscriptions.entries()) {
        const { codec, repairPayloadType, redundantPayloadType, ssrc, repairSsrc, track } = subscription
        const msid = { stream: `PA_publisher|TR_${index}`, track: `TR_${index}` }
        sections.add({ kind: track.kind, msid, codec, repairPayloadType, redundantPayloadType, ssrc, repairSsrc })
      }
      const offer = writeOffer({ local: transport.local, candidates, sections: sections.list(), version: 1 })
      const answer = read(await answerOffer(page, offer))
      transport.expect(answer)
      const withRedundancy =
        isWanted && answer.sections.some(({ codecs }) => codecs.some(({ mime }) => mime === 'audio/red'))
      for (const subscription of subscriptions) subscription.start({ withRedundancy })
      return subscriptions
    },
    async [Symbol.asyncDispose]() {
      web.closeAllConnections()
      web.close()
      forwarder.close()
      await mediaPort.close()
    },
  }
}

function createOffer(page: EchoPage, isSingleLayer: boolean): Promise<string> {
  return page.evaluate(async (single) => {
    const connection = new RTCPeerConnection()
    globalThis.publisherConnection = connection
    // Of smaller pictures, Chromium sends fewer than three layers.
    const video = { width: 1280, height: 720 }
    const media = await navigator.mediaDevices.getUserMedia({ audio: true, video })
    connection.addTransceiver(media.getAudioTracks()[0]!, { direction: 'sendonly', streams: [media] })
    const layers = [{ rid: 'q', scaleResolutionDownBy: 4 }, { rid: 'h', scaleResolutionDownBy: 2 }, { rid: 'f' }]
    const sendEncodings = single ? [{}] : layers
    connection.addTransceiver(media.getVideoTracks()[0]!, { direction: 'sendonly', streams: [media], sendEncodings })
    await connection.setLocalDescription()
    return connection.localDescription!.sdp
  }, isSingleLayer)
}

function answerOffer(page: EchoPage, offer: string): Promise<string> {
  return page.evaluate(async (sdp) => {
    const connection = new RTCPeerConnection()
    globalThis.viewerConnection = connection
    const media = new MediaStream()
    connection.addEventListener('track', ({ track }) => {
      media.addTrack(track)
      document.querySelector('video')!.srcObject = media
    })
    await connection.setRemoteDescription({ type: 'offer', sdp })
    await connection.setLocalDescription()
    return connection.localDescription!.sdp
  }, offer)
}

export interface Watched {
  readonly sound: number
  /** The average of its packets, in bytes. */
  readonly soundSize: number
  readonly frames: number
  readonly height: number
  /** Freezes of more than a moment, in seconds. */
  readonly frozen: number
  readonly repaired: number
}

/** What a page has received so far. */
export function watched(page: EchoPage): Promise<Watched> {
  return page.evaluate(async () => {
    const all = [...(await viewerConnection.getStats()).values()].filter(({ type }) => type === 'inbound-rtp')
    const audio = all.find(({ kind }) => kind === 'audio')
    const video = all.find(({ kind }) => kind === 'video')
    return {
      sound: audio?.packetsReceived ?? 0,
      soundSize: (audio?.bytesReceived ?? 0) / (audio?.packetsReceived ?? 1),
      frames: video?.framesDecoded ?? 0,
      height: video?.frameHeight ?? 0,
      frozen: video?.totalFreezesDuration ?? 0,
      repaired: video?.retransmittedPacketsReceived ?? 0,
    }
  })
}

function trackOf(tracks: readonly PublishedTrack[], kind: 'audio' | 'video'): PublishedTrack {
  const track = tracks.find((each) => each.kind === kind)
  if (!track) throw new Error(`the page offered no ${kind}`)
  return track
}

function read(sdp: string): Description {
  const result = readDescription(sdp)
  if (!result.ok) throw new Error(`the page's SDP was refused: ${result.problem}`)
  return result.description
}

declare global {
  var publisherConnection: RTCPeerConnection
  var viewerConnection: RTCPeerConnection
}
