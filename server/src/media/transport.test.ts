import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createDtlsClient } from '../../test/media/dtls-client.ts'
import { createCertificate } from './dtls/certificate.ts'
import type { Path } from './ice/path-choice.ts'
import { readBindingRequest, writeBindingResponse } from './ice/stun.ts'
import { createSrtpSession, type SrtpSession } from './srtp/session.ts'
import { createPeerConnection } from './transport.ts'

const certificate = createCertificate()
const clientCertificate = createCertificate()
const credentials = { ufrag: 'peer', pwd: 'a+password+of+22+chars' }
const client = { ...credentials, fingerprint: clientCertificate.fingerprint }
const stranger = { ...credentials, fingerprint: createCertificate().fingerprint }

/** A connection and its peer, without sockets. */
function createConnection() {
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
  const dtls = createDtlsClient({
    certificate: clientCertificate,
    send: (packet) => queueMicrotask(() => peer.receive(packet)),
    onFinished: (session) => void (srtp = createSrtpSession(session.srtp, 'client')),
  })
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

function createPath(send: (packet: Buffer) => void = () => {}): Path & { isClosed: boolean } {
  return {
    isClosed: false,
    send,
    close() {
      this.isClosed = true
    },
  }
}

function header(sequenceNumber: number, ssrc = 1): Buffer {
  return Buffer.from([0x80, 111, 0, sequenceNumber, 0, 0, 0, 0, 0, 0, ssrc >> 8, ssrc & 0xff])
}

describe('a transport', () => {
  it('connects when the handshake and the fingerprint are there, in either order', async () => {
    const early = createConnection()
    early.transport.expect(client)
    await early.shakeHands()
    expect(early.states).toEqual(['connected'])

    const late = createConnection()
    await late.shakeHands()
    expect(late.states).toEqual([])
    late.transport.expect(client)
    await vi.waitFor(() => expect(late.states).toEqual(['connected']))
  })

  it('lets no media through before it knows the fingerprint', async () => {
    const { shakeHands, speak, media, received, transport } = createConnection()
    await shakeHands()
    speak('a')
    received.length = 0
    transport.sendRtp(header(1), Buffer.from('back'))
    transport.sendRtcp(Buffer.alloc(8))
    expect(media).toEqual([])
    expect(received).toEqual([])
    transport.expect(client)
    await vi.waitFor(() => expect(transport.state).toBe('connected'))
    speak('bc')
    expect(media).toEqual(['bc'])
  })

  it('closes when the peer has another certificate than the signalling named', async () => {
    const { shakeHands, speak, transport, states, media, isOpen } = createConnection()
    transport.expect(stranger)
    await shakeHands()
    speak('a')
    expect(states).toEqual(['the peer has another certificate'])
    expect(media).toEqual([])
    expect(isOpen()).toBe(false)
  })

  it('stays connected when the signalling names the same certificate again, and closes at another', async () => {
    const { shakeHands, transport, states } = createConnection()
    transport.expect(client)
    await shakeHands()
    transport.expect(client)
    expect(states).toEqual(['connected'])
    transport.expect(stranger)
    expect(states).toEqual(['connected', 'the peer has another certificate'])
  })

  it('does not report its own close, and does nothing afterwards', async () => {
    const { shakeHands, speak, transport, states, ufrags, media, path, isOpen } = createConnection()
    transport.expect(client)
    await shakeHands()
    transport.close()
    transport.close()
    transport.restart()
    transport.sendRtp(header(1), Buffer.alloc(1))
    transport.expect(client)
    speak('a')
    expect(states).toEqual(['connected'])
    expect(media).toEqual([])
    expect([...ufrags]).toEqual([])
    expect(path.isClosed).toBe(true)
    expect(isOpen()).toBe(false)
  })

  it('has new credentials after a restart, and drops the old ones once the new are used', () => {
    const { transport, ufrags, check, peer } = createConnection()
    const [first] = ufrags
    const { pwd } = transport.local
    check()
    transport.restart()
    transport.restart()
    expect([...ufrags]).toEqual([first, transport.local.ufrag])
    expect(peer.passwordOf(first!)).toBe(pwd)
    expect(peer.passwordOf(transport.local.ufrag)).toBe(transport.local.pwd)
    check()
    expect([...ufrags]).toEqual([transport.local.ufrag])
    expect(peer.passwordOf(first!)).toBeUndefined()
  })

  it('closes when the peer has used more streams than can be remembered, so that it starts over', async () => {
    const { shakeHands, speakAs, transport, states } = createConnection()
    transport.expect(client)
    await shakeHands()
    await vi.waitFor(() => expect(transport.state).toBe('connected'))
    for (let ssrc = 1; ssrc <= 512; ssrc += 1) speakAs(ssrc)
    expect(states).toEqual(['connected'])
    speakAs(513)
    expect(states).toEqual(['connected', 'the peer has used too many streams'])
  })

  it('ignores packets that are none of RTP, RTCP and DTLS', async () => {
    const { shakeHands, peer, transport, states, media } = createConnection()
    transport.expect(client)
    await shakeHands()
    for (let first = 0; first < 256; first += 1)
      for (const size of [0, 1, 2, 12, 60]) peer.receive(Buffer.alloc(size, first))
    expect(states).toEqual(['connected'])
    expect(media).toEqual([])
  })

  it('never encrypts two packets alike, also when numbers roll over while there is no way to the peer', async () => {
    const { shakeHands, check, peer, path, transport, received } = createConnection()
    transport.expect(client)
    await shakeHands()
    received.length = 0
    const send = (sequenceNumber: number) => {
      const numbered = header(0)
      numbered.writeUInt16BE(sequenceNumber, 2)
      transport.sendRtp(numbered, Buffer.from('the same'))
    }
    for (const number of [0x6000, 0xc000, 0x2000, 0x6000]) send(number)
    peer.lost(path)
    for (const number of [0xc000, 0x2000]) send(number)
    check()
    await new Promise(setImmediate)
    send(0x6000)
    expect(received).toHaveLength(5)
    expect(new Set(received.map((packet) => packet.toString('hex'))).size).toBe(5)
  })
})

describe('consent to receive', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** A connected peer that names another address as its own, and what is sent there. */
  async function redirect() {
    const connection = createConnection()
    const { transport, shakeHands, check, received } = connection
    transport.expect(client)
    await shakeHands()
    await vi.waitFor(() => expect(transport.state).toBe('connected'))
    received.length = 0
    const requests: Buffer[] = []
    const media: Buffer[] = []
    const elsewhere = createPath((packet) => void (packet[0]! <= 3 ? requests : media).push(packet))
    check(true, elsewhere)
    return { ...connection, elsewhere, requests, media }
  }

  it('is needed before media follows to another address, and media goes on to the former meanwhile', async () => {
    const { transport, elsewhere, requests, media, received, answer } = await redirect()
    transport.sendRtp(header(1), Buffer.from('one'))
    expect([received.length, media.length]).toEqual([1, 0])
    expect(answer(elsewhere, requests[0]!)).toBe(true)
    transport.sendRtp(header(2), Buffer.from('two'))
    expect([received.length, media.length]).toEqual([1, 1])
  })

  it('is not given by an answer from elsewhere, with another password or of another time', async () => {
    const { transport, path, elsewhere, requests, media, answer } = await redirect()
    const [request] = requests
    expect(answer(path, request!)).toBe(false)
    expect(answer(elsewhere, request!, 'x'.repeat(24))).toBe(false)
    const other = Buffer.from(request!)
    other[10]! ^= 1
    expect(answer(elsewhere, other)).toBe(false)
    transport.sendRtp(header(1), Buffer.from('one'))
    expect(media).toEqual([])
  })

  it('is asked for again, and its end after 30 seconds ends the connection', async () => {
    const { peer, transport, check, shakeHands, states, received, withdrawConsent } = createConnection()
    transport.expect(client)
    await shakeHands()
    const pass = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        check()
        await vi.advanceTimersByTimeAsync(1000)
        peer.enforceTimeLimits()
      }
    }
    await pass(100)
    expect(states).toEqual(['connected'])
    withdrawConsent()
    await pass(24)
    received.length = 0
    transport.sendRtp(header(1), Buffer.from('one'))
    expect(received).toHaveLength(1)
    await pass(10)
    expect(states).toEqual(['connected', 'the peer answers no checks'])
    received.length = 0
    transport.sendRtp(header(2), Buffer.from('two'))
    expect(received).toEqual([])
  })
})

describe('the time limits of a transport', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('close it when no valid check has come for 30 seconds', () => {
    const { peer, check, states } = createConnection()
    vi.advanceTimersByTime(29_000)
    peer.enforceTimeLimits()
    check()
    vi.advanceTimersByTime(29_000)
    peer.enforceTimeLimits()
    expect(states).toEqual([])
    vi.advanceTimersByTime(2000)
    peer.enforceTimeLimits()
    expect(states).toEqual(['the peer is silent'])
  })

  it('close it when the handshake takes more than 30 seconds', () => {
    const { peer, check, states } = createConnection()
    for (let second = 0; second <= 31; second += 1) {
      check()
      vi.advanceTimersByTime(1000)
      peer.enforceTimeLimits()
    }
    expect(states).toEqual(['the peer took too long to connect'])
  })

  it('leave it open as long as its peer checks', async () => {
    const { peer, check, states, transport, shakeHands } = createConnection()
    transport.expect(client)
    await shakeHands()
    for (let second = 0; second < 100; second += 5) {
      check(false)
      await vi.advanceTimersByTimeAsync(5000)
      peer.enforceTimeLimits()
    }
    expect(states).toEqual(['connected'])
  })
})
