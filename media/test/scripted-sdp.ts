/** A client's side of a peer connection, as its SDP shows it. */
export interface ScriptedPeer {
  ufrag: string
  readonly pwd: string
  readonly fingerprint: string
  /** Its part in DTLS, if it insists on one. */
  readonly setup?: 'active' | 'passive'
}

export interface ScriptedTrack {
  readonly cid: string
  readonly kind: 'audio' | 'video'
  readonly ssrc: number
  /** Default: sendonly. */
  readonly direction?: 'sendonly' | 'inactive'
  /** Sound that can be repeated (RED). */
  readonly withRedundancy?: boolean
}

let made = 0

export function scriptedPeer(): ScriptedPeer {
  made += 1
  const digits = Array.from({ length: 32 }, (_, at) => (at + made).toString(16).padStart(2, '0').toUpperCase())
  return { ufrag: `peer${made}`, pwd: 'a+password+of+22+chars', fingerprint: `sha-256 ${digits.join(':')}` }
}

/** A publisher's offer: a data section, then one section per track, with the mids 0, 1, 2 … */
export function offerOf(peer: ScriptedPeer, tracks: readonly ScriptedTrack[]): string {
  const mids = ['0', ...tracks.map((_, index) => String(index + 1))]
  const lines = [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    `a=group:BUNDLE ${mids.join(' ')}`,
    'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
    ...transport(peer, '0', peer.setup ?? 'actpass'),
    'a=sctp-port:5000',
    ...tracks.flatMap((track, index) => section(peer, String(index + 1), track)),
  ]
  return `${lines.join('\r\n')}\r\n`
}

function section(
  peer: ScriptedPeer,
  mid: string,
  { cid, kind, ssrc, direction = 'sendonly', withRedundancy = false }: ScriptedTrack,
): string[] {
  const codec =
    kind === 'audio'
      ? [
          `m=audio 9 UDP/TLS/RTP/SAVPF 111${withRedundancy ? ' 63' : ''}`,
          ...(withRedundancy ? ['a=rtpmap:63 red/48000/2', 'a=fmtp:63 111/111'] : []),
          'a=rtpmap:111 opus/48000/2',
          'a=fmtp:111 minptime=10;useinbandfec=1',
        ]
      : ['m=video 9 UDP/TLS/RTP/SAVPF 96', 'a=rtpmap:96 VP8/90000', 'a=rtcp-fb:96 nack', 'a=rtcp-fb:96 nack pli']
  return [
    ...codec,
    ...transport(peer, mid, peer.setup ?? 'actpass'),
    'a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level',
    'a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid',
    'a=rtcp-mux',
    `a=${direction}`,
    ...(direction === 'sendonly' ? [`a=msid:stream ${cid}`, `a=ssrc:${ssrc} cname:client`] : []),
  ]
}

/** The answer of a client that accepts everything it is offered, except for redundant sound (RED), unless it knows it. */
export function answerTo(
  offer: string,
  peer: ScriptedPeer,
  { withRedundancy = false, withArrivals = true } = {},
): string {
  const { ufrag, pwd, fingerprint, setup = 'active' } = peer
  const lines = (withRedundancy ? offer : withoutRedundancy(offer)).split('\r\n').flatMap((line) => {
    if (!withArrivals && line.includes('transport-wide-cc')) return []
    if (/^a=(candidate|ssrc|msid|end-of-candidates|ice-lite)/.test(line)) return []
    if (line.startsWith('a=ice-ufrag:')) return [`a=ice-ufrag:${ufrag}`]
    if (line.startsWith('a=ice-pwd:')) return [`a=ice-pwd:${pwd}`]
    if (line.startsWith('a=fingerprint:')) return [`a=fingerprint:${fingerprint}`]
    return [line.replace('a=setup:actpass', `a=setup:${setup}`).replace('a=sendonly', 'a=recvonly')]
  })
  return lines.join('\r\n')
}

function withoutRedundancy(sdp: string): string {
  const [, payloadType] = /^a=rtpmap:(\d+) red\//m.exec(sdp) ?? []
  if (payloadType === undefined) return sdp
  return sdp
    .replaceAll(new RegExp(`^(m=audio .*) ${payloadType}( |\r$)`, 'gm'), '$1$2')
    .replaceAll(new RegExp(`^a=(rtpmap|fmtp):${payloadType} .*\r\n`, 'gm'), '')
}

function transport({ ufrag, pwd, fingerprint }: ScriptedPeer, mid: string, setup: string): string[] {
  return [
    'c=IN IP4 0.0.0.0',
    `a=ice-ufrag:${ufrag}`,
    `a=ice-pwd:${pwd}`,
    `a=fingerprint:${fingerprint}`,
    `a=setup:${setup}`,
    `a=mid:${mid}`,
  ]
}
