import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connectInMemory } from '../../test/dtls-pair.ts'
import { AEAD_AES_128_GCM, AES128_CM_HMAC_SHA1_80 } from './client-hello.ts'
import { CLIENT_HELLO, writeMessage } from './handshake-messages.ts'
import { P_256, X25519 } from './key-share.ts'
import { ALERT, APPLICATION_DATA, HANDSHAKE, writeRecord } from './records.ts'

describe('a DTLS server', () => {
  it.each([
    ['X25519', X25519],
    ['P-256', P_256],
  ] as const)('agrees on the same SRTP keys as its client with %s', (_name, group) => {
    const { client, server } = connectInMemory({ groups: [group] })
    expect(server.session?.srtp).toEqual(client.session?.srtp)
    expect(server.session?.srtp.profile).toBe(AEAD_AES_128_GCM)
  })

  it('knows the certificate of its client', () => {
    const { client, server } = connectInMemory({})
    expect(server.session?.peerCertificate).toEqual(client.certificate.der)
    expect(client.session?.serverCertificate).toEqual(server.certificate.der)
  })

  it('falls back to AES-CM for a client without AES-GCM', () => {
    const { client, server } = connectInMemory({ profiles: [AES128_CM_HMAC_SHA1_80] })
    expect(server.session?.srtp.profile).toBe(AES128_CM_HMAC_SHA1_80)
    expect(server.session?.srtp).toEqual(client.session?.srtp)
  })

  it('answers in one datagram that every path carries', () => {
    const { server } = connectInMemory({})
    expect(server.sent).toHaveLength(2)
    expect(Math.max(...server.sent.map((datagram) => datagram.length))).toBeLessThan(1200)
  })

  it('tells the other side when it closes', () => {
    const { client, server } = connectInMemory({})
    server.dtls.close()
    expect(client.alerts).toEqual([0])
  })

  it('closes when its client does', () => {
    const { client, server } = connectInMemory({})
    client.dtls.write([{ type: ALERT, epoch: 1, bytes: Buffer.of(1, 0) }])
    expect(server.closed).toBe('closed by the peer')
  })
})

describe('a DTLS server ignores', () => {
  it('Finished in the clear', () => {
    const { server } = connectInMemory({
      alterFlight: (contents) => contents.map((content) => ({ ...content, epoch: 0 })),
    })
    expect(server).toMatchObject({ session: undefined, closed: undefined })
  })

  it('encrypted messages other than Finished', () => {
    const { client, server } = connectInMemory({})
    const hello = writeMessage({ type: CLIENT_HELLO, sequence: 5, body: Buffer.alloc(40) })
    client.dtls.write([{ type: HANDSHAKE, epoch: 1, bytes: hello }])
    expect(server).toMatchObject({ closed: undefined })
    expect(server.sent).toHaveLength(2)
  })

  it('an alert in the clear, during the handshake and after it', () => {
    const alert = { type: ALERT, epoch: 0, bytes: Buffer.of(2, 40) }
    const { client, server } = connectInMemory({ alterFlight: (contents) => [alert, ...contents] })
    expect(server.session).toBeDefined()
    client.dtls.write([alert])
    expect(server.closed).toBeUndefined()
  })

  it('a ClientHello in the clear after the handshake', () => {
    const { client, server } = connectInMemory({})
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    vi.advanceTimersByTime(1000)
    for (const datagram of client.sent)
      server.dtls.receive(writeRecord({ type: HANDSHAKE, epoch: 0, bytes: helloIn(datagram) }, 99))
    expect(server).toMatchObject({ closed: undefined })
    expect(server.sent).toHaveLength(2)
  })

  it('records of an unknown epoch', () => {
    const { server } = connectInMemory({})
    server.dtls.receive(writeRecord({ type: ALERT, epoch: 2, bytes: Buffer.of(2, 40) }, 0))
    expect(server.closed).toBeUndefined()
  })

  it('encrypted records that are damaged or replayed', () => {
    const { client, server } = connectInMemory({})
    const warning = { type: ALERT, epoch: 1, bytes: Buffer.of(1, 90) }
    client.dtls.write([warning])
    const last = client.sent.at(-1)!
    const damaged = Buffer.from(last)
    damaged[damaged.length - 1]! ^= 1
    server.dtls.receive(damaged)
    server.dtls.receive(last)
    expect(server.closed).toBeUndefined()
  })

  it('a replayed Finished', () => {
    const { client, server } = connectInMemory({})
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    vi.advanceTimersByTime(1000)
    for (const datagram of client.sent) server.dtls.receive(datagram)
    expect(server.sent).toHaveLength(2)
  })

  it('application data', () => {
    const { client, server } = connectInMemory({})
    client.dtls.write([{ type: APPLICATION_DATA, epoch: 1, bytes: Buffer.from('SCTP') }])
    expect(server).toMatchObject({ closed: undefined })
  })
})

/** The content of the first record of a datagram. */
function helloIn(datagram: Buffer): Buffer {
  return datagram.subarray(13, 13 + datagram.readUInt16BE(11))
}
