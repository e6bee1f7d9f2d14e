import { expect, onTestFinished, vi } from 'vitest'
import { createCertificate } from '../src/dtls/certificate.ts'
import type { Path } from '../src/ice/path-choice.ts'
import { readBindingRequest, writeBindingResponse } from '../src/ice/stun.ts'
import { createDtlsServer } from '../src/dtls/dtls-server.ts'
import type { SrtpKeys } from '../src/dtls/srtp-keys.ts'
import { createSrtpSession, type SrtpSession } from '../src/srtp/session.ts'
import { createPeerConnection, type DtlsRole, type TransportDescription } from '../src/transport/transport.ts'
import { createDtlsClient } from './dtls-client.ts'

const certificate = createCertificate()
const clientCertificate = createCertificate()
const credentials = { ufrag: 'peer', pwd: 'a+password+of+22+chars' }
/** What the signaling says of the peer. */
export const client = { ...credentials, fingerprint: clientCertificate.fingerprint }
/** What it would say of another one. */
export const stranger = { ...credentials, fingerprint: createCertificate().fingerprint }

/** A connection and its peer, without sockets. The peer is a client of DTLS, unless our role is client. */
export function createConnection(role: DtlsRole = 'server') {
  const ufrags = new Set<string>()
  const states: string[] = []
  const received: Buffer[] = []
  let srtp: SrtpSession | undefined
  let isOpen = true
  let isWilling = true
  const peer = createPeerConnection({
    certificate,
    onUfrag: (ufrag) => void ufrags.add(ufrag),
    onUfragGone: (ufrag) => void ufrags.delete(ufrag),
    onClosed: () => void (isOpen = false),
  })
  const { transport } = peer
  transport.onState = (state, reason) => void states.push(reason ?? state)
  const media: string[] = []
  transport.onRtp = (packet) => void media.push(packet.toString('latin1', 12))

  const path = createPath((packet) => {
    // Later, as in any network.
    if (packet[0]! <= 3) return queueMicrotask(() => void (isWilling && answer(path, packet)))
    received.push(packet)
    queueMicrotask(() => dtls.receive(packet))
  })
  const answer = (on: Path, request: Buffer, pwd = credentials.pwd) => {
    const { transactionId } = readBindingRequest(request)!
    return peer.answered(on, writeBindingResponse(transactionId, { address: '127.0.0.1', port: 1 }, pwd))
  }
  const options = {
    certificate: clientCertificate,
    send: (packet: Buffer) => queueMicrotask(() => peer.receive(packet)),
    onFinished: (session: { readonly srtp: SrtpKeys }) =>
      void (srtp = createSrtpSession(session.srtp, role === 'server' ? 'client' : 'server')),
    onClosed: (reason: string) => void closed.push(reason),
  }
  const closed: string[] = []
  const dtls = role === 'server' ? createDtlsClient(options) : createDtlsServer(options)
  onTestFinished(() => {
    dtls.close()
    transport.close()
  })
  const check = (useCandidate = true, from: Path = path) =>
    peer.checked(from, { ufrag: transport.local.ufrag, useCandidate })
  return {
    peer,
    transport,
    states,
    closed,
    expect: (description: TransportDescription) => transport.expect(description, role),
    media,
    received,
    ufrags,
    path,
    check,
    answer,
    isOpen: () => isOpen,
    withdrawConsent: () => void (isWilling = false),
    async shakeHands() {
      check()
      dtls.start()
      await vi.waitFor(() => expect(srtp).toBeDefined())
    },
    speakAs: (ssrc: number) => peer.receive(srtp!.sealRtp(header(1, ssrc), Buffer.alloc(1))),
    speak: (text: string) => peer.receive(srtp!.sealRtp(header(text.length), Buffer.from(text))),
  }
}

export function createPath(send: (packet: Buffer) => void = () => {}): Path & { isClosed: boolean } {
  return {
    isClosed: false,
    send,
    close() {
      this.isClosed = true
    },
  }
}

/** The header of an RTP packet. */
export function header(sequenceNumber: number, ssrc = 1): Buffer {
  return Buffer.from([0x80, 111, 0, sequenceNumber, 0, 0, 0, 0, 0, 0, ssrc >> 8, ssrc & 0xff])
}
