import { randomBytes } from 'node:crypto'
import type { Certificate } from '../dtls/certificate.ts'
import { createDtlsClient } from '../dtls/dtls-client.ts'
import type { DtlsConnection, DtlsSession } from '../dtls/dtls-connection.ts'
import { createDtlsServer } from '../dtls/dtls-server.ts'
import { matchesFingerprint } from '../dtls/fingerprint.ts'
import { createConsentChecks } from '../ice/consent-checks.ts'
import { CONSENT_MS, createPathChoice, type Path } from '../ice/path-choice.ts'
import type { IceCredentials } from '../ice/stun.ts'
import { createSrtpSession, type SrtpSession } from '../srtp/session.ts'

export type TransportState = 'checking' | 'connected' | 'closed'

/** The client begins the DTLS handshake, and the server waits for it. */
export type DtlsRole = 'client' | 'server'

/** What one side of a peer connection announces in its SDP. */
export interface TransportDescription extends IceCredentials {
  /** Such as `sha-256 AA:BB…`. */
  readonly fingerprint: string
}

/** One peer connection, as the rest of the media server sees it. Buffers are lent for the call and must not be kept. */
export interface Transport {
  /** Changes on `restart`. */
  readonly local: TransportDescription
  /** What is sent before it is `connected` goes nowhere. */
  readonly state: TransportState
  /**
   * Names the certificate that the peer must show, and the credentials that it answers checks with; these change when it
   * restarts ICE. The handshake does not begin before: the peer may not be where it seems to be. The first call decides on
   * our role in it; default server.
   */
  expect(remote: TransportDescription, role?: DtlsRole): void
  /** Receives a whole RTP packet: decrypted, authenticated, not a replay. */
  onRtp: (packet: Buffer) => void
  /** Receives a compound RTCP packet: decrypted, authenticated, not a replay. */
  onRtcp: (compound: Buffer) => void
  /** Not called for a `close` of one's own. */
  onState: (state: TransportState, reason?: string) => void
  /**
   * Encrypts into a fresh buffer. The header carries the sequence number and ssrc that the peer shall see. A sequence number
   * may be sent again only with the same bytes. Where packets have to wait, those that can wait let all others go first.
   */
  sendRtp(header: Buffer, payload: Buffer, canWait?: boolean): void
  sendRtcp(compound: Buffer): void
  /** A stream that was sent has ended: its ssrc is never used again. */
  forget(ssrc: number): void
  /** Announces a new ufrag and pwd, while the old ones work until the peer uses the new; DTLS and SRTP go on. */
  restart(): void
  close(): void
}

/** The side of a transport that faces the sockets. */
export interface PeerConnection {
  readonly transport: Transport
  /** The password of a ufrag that we have announced. */
  passwordOf(ufrag: string): string | undefined
  /** A valid check came on this path. */
  checked(path: Path, check: { readonly ufrag: string; readonly useCandidate: boolean }): void
  /** Another packet of STUN came on a path with a valid check. Returns false if it means nothing. */
  answered(path: Path, packet: Buffer): boolean
  /** A packet, not of STUN, came on a path with a valid check. */
  receive(packet: Buffer): void
  /** A path is gone: its connection is closed, or its address now belongs to another peer. */
  lost(path: Path): void
  /** Closes the connection if its time is over, and else asks the peer whether it still listens. To be called every second. */
  enforceTimeLimits(): void
}

export interface PeerConnectionOptions {
  readonly certificate: Certificate
  onUfrag(ufrag: string, peer: PeerConnection): void
  onUfragGone(ufrag: string): void
  onClosed(peer: PeerConnection): void
}

/** How long a peer may be silent, and how long it may take to connect. */
const TIME_LIMIT_MS = 30_000
/** How long an answer to a check of ours is believed, before the peer is asked again (RFC 7675). */
const ASK_AGAIN_MS = 4000
/** The first flight of a client, in small fragments. */
const MAX_EARLY = 8

export function createPeerConnection(options: PeerConnectionOptions): PeerConnection {
  const { certificate } = options
  const paths = createPathChoice()
  const createdAt = performance.now()
  let local = createDescription()
  let earlier: TransportDescription | undefined
  let remote: TransportDescription | undefined
  let lastCheckAt = createdAt
  let lastAnswerAt = createdAt
  let firstCheckAt: number | undefined
  let state: TransportState = 'checking'
  let session: DtlsSession | undefined
  let srtp: SrtpSession | undefined
  const consent = createConsentChecks(() => remote)
  /** What the peer has sent of its handshake before it has shown that it receives our answers. */
  const early: Buffer[] = []

  let role: DtlsRole | undefined
  let dtls: DtlsConnection | undefined

  const transport: Transport = {
    get local() {
      return local
    },
    get state() {
      return state
    },
    expect(description, wantedRole = 'server') {
      remote = description
      if (state === 'closed') return
      role ??= wantedRole
      for (const [path, ufrag] of paths.all) askIfDue(path, ufrag)
      connect()
    },
    onRtp() {},
    onRtcp() {},
    onState() {},
    sendRtp(header, payload, canWait) {
      if (srtp === undefined || state !== 'connected') return
      // Also while there is no way to the peer: its counters must see every number, or they would miss a roll-over.
      const packet = srtp.sealRtp(header, payload)
      paths.selected?.send(packet, canWait)
    },
    sendRtcp(compound) {
      if (srtp !== undefined && state === 'connected') paths.selected?.send(srtp.sealRtcp(compound))
    },
    forget: (ssrc) => srtp?.forget(ssrc),
    restart() {
      if (state === 'closed') return
      if (earlier === undefined) earlier = local
      else options.onUfragGone(local.ufrag)
      local = createDescription()
      options.onUfrag(local.ufrag, peer)
    },
    close,
  }

  function createDescription(): TransportDescription {
    const ufrag = randomBytes(6).toString('base64')
    return { ufrag, pwd: randomBytes(18).toString('base64'), fingerprint: certificate.fingerprint }
  }

  function askIfDue(path: Path, ufrag: string) {
    if (paths.silenceOf(path) > ASK_AGAIN_MS) consent.ask(path, ufrag)
  }

  /**
   * Opens DTLS once the peer has shown that it receives what we send: the answer to a handshake is many times larger than its
   * beginning, which may come from anyone.
   */
  function shakeHands() {
    if (paths.selected === undefined || role === undefined) return
    if (dtls === undefined) {
      const createDtls = role === 'client' ? createDtlsClient : createDtlsServer
      dtls = createDtls({
        certificate,
        send: (datagram) => paths.selected?.send(datagram),
        onFinished(finished) {
          session = finished
          connect()
        },
        onClosed: fail,
      })
      dtls.start()
    }
    for (const datagram of early.splice(0)) dtls.receive(datagram)
  }

  function receiveDtls(datagram: Buffer) {
    if (dtls !== undefined && paths.selected !== undefined) dtls.receive(datagram)
    else if (early.length < MAX_EARLY) early.push(Buffer.from(datagram))
  }

  /** Lets media flow once the peer has proved that it owns the certificate that the signaling named, and where it is. */
  function connect() {
    if (session === undefined || remote === undefined || state === 'closed') return
    if (!matchesFingerprint(session.peerCertificate, remote.fingerprint)) {
      return fail('the peer has another certificate')
    }
    if (state === 'connected' || paths.selected === undefined) return
    srtp = createSrtpSession(session.srtp, role ?? 'server', () => fail('the peer has used too many streams'))
    state = 'connected'
    transport.onState(state)
  }

  function fail(reason: string) {
    if (state === 'closed') return
    close()
    transport.onState(state, reason)
  }

  function close() {
    if (state === 'closed') return
    dtls?.close()
    early.length = 0
    state = 'closed'
    for (const { ufrag } of descriptions()) options.onUfragGone(ufrag)
    paths.close()
    options.onClosed(peer)
  }

  const descriptions = () => (earlier === undefined ? [local] : [local, earlier])

  function dropEarlier() {
    if (earlier !== undefined) options.onUfragGone(earlier.ufrag)
    earlier = undefined
  }

  const peer: PeerConnection = {
    transport,
    passwordOf: (ufrag) => descriptions().find((description) => description.ufrag === ufrag)?.pwd,
    checked(path, check) {
      if (state === 'closed') return
      if (check.ufrag === local.ufrag) dropEarlier()
      lastCheckAt = performance.now()
      firstCheckAt ??= lastCheckAt
      paths.checked(path, check)
      askIfDue(path, check.ufrag)
    },
    answered(path, packet) {
      if (state === 'closed' || !consent.isAnswer(path, packet)) return false
      lastAnswerAt = performance.now()
      paths.answered(path)
      shakeHands()
      connect()
      return true
    },
    receive(packet) {
      const first = packet[0] ?? 0
      if (first >= 20 && first <= 63) return receiveDtls(packet)
      if (srtp === undefined || state !== 'connected' || first < 128 || first > 191 || packet.length < 2) return
      if (isRtcp(packet[1]!)) {
        const compound = srtp.openRtcp(packet)
        if (compound !== undefined) transport.onRtcp(compound)
      } else {
        const plain = srtp.openRtp(packet)
        if (plain !== undefined) transport.onRtp(plain)
      }
    },
    lost: paths.lost,
    enforceTimeLimits() {
      const now = performance.now()
      if (state === 'closed') return
      paths.expire()
      if (now - lastCheckAt > TIME_LIMIT_MS) fail('the peer is silent')
      else if (state === 'connected' && now - lastAnswerAt > CONSENT_MS) fail('the peer answers no checks')
      else if (state === 'checking' && firstCheckAt !== undefined && now - firstCheckAt > TIME_LIMIT_MS)
        fail('the peer took too long to connect')
      for (const [path, ufrag] of paths.all) {
        if (path === paths.nominated || path === paths.selected) askIfDue(path, ufrag)
      }
    },
  }
  options.onUfrag(local.ufrag, peer)
  return peer
}

/** RTCP shares the port and is recognized by its packet types (RFC 5761). */
function isRtcp(secondByte: number): boolean {
  return secondByte >= 192 && secondByte <= 223
}
