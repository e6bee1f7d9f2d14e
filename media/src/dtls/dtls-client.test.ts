import { generateKeyPairSync } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connectOurClient } from '../../test/dtls-pair.ts'
import { uint, vector } from '../packet/bytes.ts'
import { AEAD_AES_128_GCM } from './client-hello.ts'
import { EXTENDED_MASTER_SECRET, RENEGOTIATION_INFO, USE_SRTP, writeExtension } from './extensions.ts'
import {
  CERTIFICATE,
  CERTIFICATE_REQUEST,
  FINISHED,
  SERVER_HELLO,
  SERVER_HELLO_DONE,
  SERVER_KEY_EXCHANGE,
} from './handshake-messages.ts'
import { P_256, X25519 } from './key-share.ts'

afterEach(() => void vi.useRealTimers())

describe('a DTLS client', () => {
  it('agrees on the same SRTP keys as its server', () => {
    const { client, server } = connectOurClient({})
    expect(client.session?.srtp).toEqual(server.session?.srtp)
    expect(client.session?.srtp.profile).toBe(AEAD_AES_128_GCM)
  })

  it('knows the certificate of its server, and shows its own', () => {
    const { client, server } = connectOurClient({})
    expect(client.session?.peerCertificate).toEqual(server.certificate.der)
    expect(server.session?.peerCertificate).toEqual(client.certificate.der)
  })

  it('repeats the cookie of a server that wants one', () => {
    const { client, server } = connectOurClient({ cookie: Buffer.alloc(20, 7) })
    expect(client.session).toBeDefined()
    expect(client.session?.srtp).toEqual(server.session?.srtp)
  })

  it('tells its server when it closes, and closes when its server does', () => {
    const one = connectOurClient({})
    one.client.dtls.close()
    expect(one.server.closed).toBe('closed by the peer')
    const other = connectOurClient({})
    other.server.dtls.close()
    expect(other.client.closed).toBe('closed by the peer')
  })

  it('begins once', () => {
    const { client } = connectOurClient({}, { lose: () => true })
    client.dtls.start()
    expect(client.sent).toHaveLength(1)
  })
})

describe('over a bad network, a DTLS client', () => {
  it('sends each of its flights again by itself', () => {
    vi.useFakeTimers()
    const { client, server } = connectOurClient({}, { lose: ({ from, index }) => from === 'client' && index % 2 === 0 })
    expect(server.sent).toEqual([])
    vi.advanceTimersByTime(1000)
    expect(client.session).toBeDefined()
  })

  it('sends its answer again when the server repeats its flight', () => {
    vi.useFakeTimers()
    const { client, server } = connectOurClient({}, { lose: ({ from, index }) => from === 'client' && index === 1 })
    vi.advanceTimersByTime(190)
    expect(client.session).toBeUndefined()
    client.dtls.receive(server.sent[0]!)
    expect(client.session).toBeDefined()
  })

  it.each([0.1, 0.3, 0.5])('connects with a loss of %f', (loss) => {
    vi.useFakeTimers()
    for (let run = 0; run < 20; run += 1) {
      const { client, server } = connectOurClient(run % 2 === 0 ? {} : { cookie: Buffer.alloc(16, 1) }, {
        lose: () => Math.random() < loss,
      })
      // With half of the datagrams lost, a handshake of three round trips may need dozens of attempts.
      vi.advanceTimersByTime(600_000)
      expect(client.session).toBeDefined()
      expect(client.session?.srtp).toEqual(server.session?.srtp)
    }
  })

  it('stops to repeat itself once closed', () => {
    vi.useFakeTimers()
    const { client } = connectOurClient({}, { lose: () => true })
    client.dtls.close()
    const sent = client.sent.length
    vi.advanceTimersByTime(20_000)
    expect(client.sent).toHaveLength(sent)
  })
})

describe('a DTLS client refuses a server', () => {
  const foreignKey = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey
  const refusal = (deviations: Parameters<typeof connectOurClient>[0]) => {
    const { client } = connectOurClient(deviations)
    expect(client.session).toBeUndefined()
    return client.closed
  }
  const altered = (wanted: number, change: (body: Buffer) => Buffer | undefined) =>
    refusal({ alter: (type, body) => (type === wanted ? change(body) : body) })
  const flipped = (at: number) => (body: Buffer) => {
    const changed = Buffer.from(body)
    changed[at < 0 ? body.length + at : at]! ^= 1
    return changed
  }

  it('that signs with another key than that of its certificate', () => {
    expect(refusal({ signingKey: foreignKey })).toBe('ServerKeyExchange does not fit')
  })

  it.each([
    ['signature', -1],
    ['public key', 6],
  ])('whose ServerKeyExchange has a damaged %s', (_part, at) => {
    expect(altered(SERVER_KEY_EXCHANGE, flipped(at))).toBe('ServerKeyExchange does not fit')
  })

  it('whose signature is of another handshake', () => {
    const signed = vi.fn<(body: Buffer) => Buffer>()
    connectOurClient({ alter: (type, body) => (type === SERVER_KEY_EXCHANGE ? (signed(body), body) : body) })
    expect(altered(SERVER_KEY_EXCHANGE, () => signed.mock.calls[0]?.[0])).toBe('ServerKeyExchange does not fit')
  })

  it.each([
    ['X25519 key of low order', X25519, Buffer.alloc(32)],
    ['point outside of P-256', P_256, Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)])],
    ['empty key', X25519, Buffer.alloc(0)],
  ])('with a %s', (_name, group, publicKey) => {
    expect(refusal({ key: { group, publicKey } })).toBe('the key of the peer is not valid')
  })

  it('with a key for another curve', () => {
    expect(refusal({ key: { group: 0x18, publicKey: Buffer.alloc(97, 4) } })).toBe('the server chooses another curve')
  })

  it('whose Finished is made up or too short', () => {
    expect(altered(FINISHED, () => Buffer.alloc(12, 1))).toBe('Finished does not fit')
    expect(altered(FINISHED, (body) => body.subarray(0, 11))).toBe('Finished does not fit')
  })

  it('that shows no certificate, or a damaged one', () => {
    expect(altered(CERTIFICATE, () => vector(3))).toBe('the peer shows no certificate')
    expect(altered(CERTIFICATE, (body) => Buffer.from(body).fill(7, 6))).toBe(
      'the certificate of the peer has no P-256 key',
    )
  })

  it.each([
    ['Certificate', CERTIFICATE],
    ['ServerKeyExchange', SERVER_KEY_EXCHANGE],
    ['CertificateRequest', CERTIFICATE_REQUEST],
  ])('that leaves out %s', (_name, type) => {
    expect(altered(type, () => undefined)).toMatch(/is out of order$/)
  })

  it('whose ServerHelloDone has a content', () => {
    expect(altered(SERVER_HELLO_DONE, () => Buffer.alloc(1))).toBe('a packet is too long')
  })

  it('that takes no certificate like ours', () => {
    const rsa = Buffer.concat([vector(1, uint(1, 1)), vector(2, uint(2, 0x0401)), vector(2)])
    expect(altered(CERTIFICATE_REQUEST, () => rsa)).toBe('the server does not agree to ECDSA signatures')
  })

  it('that chooses what was not offered', () => {
    const hello = (change: Partial<Record<'version' | 'suite' | 'compression', number>>, extensions?: Buffer) =>
      altered(SERVER_HELLO, (body) => {
        const [version, suite, compression] = [0, 35, 37]
        const changed = Buffer.from(extensions ? Buffer.concat([body.subarray(0, 38), vector(2, extensions)]) : body)
        if (change.version !== undefined) changed.writeUInt16BE(change.version, version)
        if (change.suite !== undefined) changed.writeUInt16BE(change.suite, suite)
        if (change.compression !== undefined) changed.writeUInt8(change.compression, compression)
        return changed
      })
    const secret = writeExtension(EXTENDED_MASTER_SECRET)
    const srtp = (...profiles: readonly number[]) =>
      writeExtension(USE_SRTP, vector(2, ...profiles.map((profile) => uint(2, profile))), vector(1))
    expect(hello({ version: 0xfeff })).toBe('the server wants another version')
    expect(hello({ suite: 0xc02c })).toBe('the server chooses another cipher suite')
    expect(hello({ compression: 1 })).toBe('the server chooses another cipher suite')
    expect(hello({}, srtp(7))).toBe('the server does not agree to the extended master secret')
    expect(hello({}, secret)).toBe('the server does not agree to an SRTP profile')
    expect(hello({}, Buffer.concat([secret, srtp(8)]))).toBe('the server does not agree to an SRTP profile')
    expect(hello({}, Buffer.concat([secret, srtp(7, 1)]))).toBe('the server does not agree to an SRTP profile')
    expect(hello({}, Buffer.concat([secret, srtp(7), writeExtension(16)]))).toBe('the server adds the extension 16')
    const renegotiation = writeExtension(RENEGOTIATION_INFO, vector(1, Buffer.alloc(12)))
    expect(hello({}, Buffer.concat([secret, srtp(7), renegotiation]))).toBe(
      'the server does not agree to a first handshake',
    )
  })
})
