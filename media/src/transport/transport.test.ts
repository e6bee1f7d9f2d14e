import { describe, expect, it, vi } from 'vitest'
import { client, createConnection, header, stranger } from '../../test/connection-without-sockets.ts'

describe('a transport whose peer waits for the handshake', () => {
  it('begins it when the peer has answered a check, and receives media', async () => {
    const { shakeHands, expect: expectPeer, speak, received, states, media } = createConnection('client')
    const handshake = shakeHands()
    await new Promise(setImmediate)
    expect(received).toEqual([])
    expectPeer(client)
    await handshake
    await vi.waitFor(() => expect(states).toEqual(['connected']))
    speak('a')
    expect(media).toEqual(['a'])
  })

  it('closes when the peer has another certificate than the signaling named', async () => {
    const { shakeHands, expect: expectPeer, states, closed } = createConnection('client')
    expectPeer(stranger)
    await shakeHands()
    await vi.waitFor(() => expect(states).toEqual(['the peer has another certificate']))
    await vi.waitFor(() => expect(closed).toEqual(['closed by the peer']))
  })

  it('keeps its role when the signaling describes the peer again', async () => {
    const { shakeHands, expect: expectPeer, transport, states, media, speak } = createConnection('client')
    expectPeer(client)
    await shakeHands()
    await vi.waitFor(() => expect(states).toEqual(['connected']))
    transport.expect(client, 'server')
    speak('a')
    expect(media).toEqual(['a'])
  })
})

describe('a transport', () => {
  it('connects when the handshake and the fingerprint are there, in either order', async () => {
    const early = createConnection()
    early.transport.expect(client)
    await early.shakeHands()
    expect(early.states).toEqual(['connected'])

    const late = createConnection()
    const handshake = late.shakeHands()
    await new Promise(setImmediate)
    expect(late.states).toEqual([])
    late.transport.expect(client)
    await handshake
    await vi.waitFor(() => expect(late.states).toEqual(['connected']))
  })

  it('answers no handshake before the peer has answered a check', async () => {
    const { shakeHands, received, transport } = createConnection()
    const handshake = shakeHands()
    await new Promise(setImmediate)
    expect(received).toEqual([])
    transport.expect(client)
    await handshake
    expect(received).not.toEqual([])
  })

  it('closes when the peer has another certificate than the signaling named', async () => {
    const { shakeHands, speak, transport, states, media, isOpen } = createConnection()
    transport.expect(stranger)
    await shakeHands()
    speak('a')
    expect(states).toEqual(['the peer has another certificate'])
    expect(media).toEqual([])
    expect(isOpen()).toBe(false)
  })

  it('stays connected when the signaling names the same certificate again, and closes at another', async () => {
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
