import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCertificate } from '../../media/src/dtls/certificate.ts'
import { openMediaPort } from '../../media/src/transport/media-port.ts'
import type { Transport, TransportDescription } from '../../media/src/transport/transport.ts'

/** The ssrcs of what comes back to the page. */
export const ECHO_SSRCS = { audio: 0x0a0a_0a0a, video: 0x0b0b_0b0b }

/** A page that sends sound and picture to a bare transport, which sends it back with other ssrcs. */
export interface EchoServer extends AsyncDisposable {
  readonly address: string
  readonly port: number
  readonly received: { audio: number; video: number; rtcp: number }
  readonly transport: Transport
  readonly states: string[]
}

export async function startEchoServer(hosts: readonly string[] = ['127.0.0.1']): Promise<EchoServer> {
  const mediaPort = await openMediaPort({ port: 0, hosts, certificate: createCertificate() })
  const transport = mediaPort.createTransport()
  const received = { audio: 0, video: 0, rtcp: 0 }
  const states: string[] = []
  transport.onState = (state) => void states.push(state)
  transport.onRtcp = () => void (received.rtcp += 1)
  transport.onRtp = (packet) => {
    const kind = OPUS.has(packet[1]! & 0x7f) ? 'audio' : 'video'
    received[kind] += 1
    // Without its extensions, whose meaning was agreed on for the other direction only.
    const extended = (packet[0]! & 0x10) !== 0
    const size = 12 + (extended ? 4 + 4 * packet.readUInt16BE(14) : 0)
    const header = Buffer.from(packet.subarray(0, 12))
    header[0]! &= ~0x10
    header.writeUInt32BE(ECHO_SSRCS[kind], 8)
    transport.sendRtp(header, packet.subarray(size))
  }
  const web = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><link rel="icon" href="data:,">')
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://localhost:${(web.address() as AddressInfo).port}/`,
    port: mediaPort.port,
    received,
    transport,
    states,
    async [Symbol.asyncDispose]() {
      web.closeAllConnections()
      web.close()
      await mediaPort.close()
    },
  }
}

/** Its payload type in Chromium and in Firefox. */
const OPUS = new Set([111, 109])

/** A page of any browser. */
export interface EchoPage {
  evaluate<Value>(run: () => Value | Promise<Value>): Promise<Value>
  evaluate<Value, Given>(run: (given: Given) => Value | Promise<Value>, given: Given): Promise<Value>
}

/** Connects a page over the path that a candidate names. The server expects the page's fingerprint, or another one. */
export async function connectPage(page: EchoPage, server: EchoServer, candidate: string, fingerprint?: string) {
  const offer = await createOffer(page)
  const described = descriptionOf(offer)
  server.transport.expect(fingerprint === undefined ? described : { ...described, fingerprint })
  await acceptAnswer(page, answerTo(offer, server.transport.local, [candidate]))
}

/** What the server must know of a page. */
export function descriptionOf(sdp: string): TransportDescription {
  const value = (name: string): string => new RegExp(`^a=${name}:(.*?)\\r?$`, 'm').exec(sdp)?.[1] ?? ''
  return { ufrag: value('ice-ufrag'), pwd: value('ice-pwd'), fingerprint: value('fingerprint') }
}

function createOffer(page: EchoPage): Promise<string> {
  return page.evaluate(async () => {
    const connection = new RTCPeerConnection()
    globalThis.echoConnection = connection
    const media = await navigator.mediaDevices.getUserMedia({ audio: true, video: true })
    for (const track of media.getTracks()) connection.addTrack(track, media)
    await connection.setLocalDescription()
    return connection.localDescription!.sdp
  })
}

export async function acceptAnswer(page: EchoPage, sdp: string): Promise<void> {
  await page.evaluate((text) => echoConnection.setRemoteDescription({ type: 'answer', sdp: text }), sdp)
}

/** What the page has sent and received so far, by kind. */
export function statistics(page: EchoPage) {
  return page.evaluate(async () => {
    const all = [...(await echoConnection.getStats()).values()]
    const sum = (type: string, kind: string, field: string) =>
      all
        .filter((each) => each.type === type && each.kind === kind)
        .reduce((total, each) => total + (each[field] ?? 0), 0)
    const transport = all.find((each) => each.type === 'transport')
    const pair = all.find((each) => each.id === transport?.selectedCandidatePairId || each.selected === true)
    return {
      state: echoConnection.connectionState,
      soundReceived: sum('inbound-rtp', 'audio', 'packetsReceived'),
      framesDecoded: sum('inbound-rtp', 'video', 'framesDecoded'),
      protocol: all.find((each) => each.id === pair?.localCandidateId)?.protocol as unknown,
      profile: transport?.srtpCipher as unknown,
    }
  })
}

declare global {
  /** The connection of the page. */
  var echoConnection: RTCPeerConnection
}

/** An answer to the page's offer that takes Opus and VP8 and sends both back. */
export function answerTo(offer: string, local: TransportDescription, candidates: readonly string[]): string {
  const [session = '', ...sections] = offer.split(/^(?=m=)/m)
  const bundle = /^a=group:BUNDLE.*$/m.exec(session)![0]
  const head = ['v=0', 'o=- 1 1 IN IP4 0.0.0.0', 's=-', 't=0 0', bundle, 'a=ice-lite', 'a=msid-semantic: WMS *']
  return [...head, ...sections.flatMap((section) => answerSection(section, local, candidates)), ''].join('\r\n')
}

function answerSection(section: string, local: TransportDescription, candidates: readonly string[]): string[] {
  const kind = section.startsWith('m=audio') ? 'audio' : 'video'
  const payloadType = /^a=rtpmap:(\d+) (opus|VP8)\//m.exec(section)![1]!
  const mid = /^a=mid:.*$/m.exec(section)![0]
  return [
    `m=${kind} 9 UDP/TLS/RTP/SAVPF ${payloadType}`,
    'c=IN IP4 0.0.0.0',
    `a=ice-ufrag:${local.ufrag}`,
    `a=ice-pwd:${local.pwd}`,
    `a=fingerprint:${local.fingerprint}`,
    'a=setup:passive',
    ...candidates.map((candidate) => `a=${candidate}`),
    mid,
    'a=sendrecv',
    'a=rtcp-mux',
    kind === 'audio' ? `a=rtpmap:${payloadType} opus/48000/2` : `a=rtpmap:${payloadType} VP8/90000`,
    `a=msid:echo ${kind}`,
    `a=ssrc:${ECHO_SSRCS[kind]} cname:echo`,
  ]
}
