import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { connectInMemory } from '../../test/dtls-pair.ts'
import { EXTENDED_MASTER_SECRET, RENEGOTIATION_INFO, USE_SRTP } from './extensions.ts'
import { CERTIFICATE, CERTIFICATE_VERIFY, FINISHED, type HandshakeMessage } from './handshake-messages.ts'
import { P_256, X25519 } from './key-share.ts'

describe('a DTLS server refuses a client', () => {
  const foreignKey = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey

  it('that signs with another key than that of its certificate', () => {
    const { client, server } = connectInMemory({ signingKey: foreignKey })
    expect(server).toMatchObject({ session: undefined, closed: 'CertificateVerify does not fit' })
    expect(client.alerts).toEqual([51])
  })

  it('whose CertificateVerify is damaged', () => {
    const { server } = connectInMemory({ alter: flipLastBitOf(CERTIFICATE_VERIFY) })
    expect(server).toMatchObject({ session: undefined, closed: 'CertificateVerify does not fit' })
  })

  it('whose Finished is made up', () => {
    const { client, server } = connectInMemory({
      alter: (message) => (message.type === FINISHED ? { ...message, body: Buffer.alloc(12, 1) } : message),
    })
    expect(server).toMatchObject({ session: undefined, closed: 'Finished does not fit' })
    expect(client.session).toBeUndefined()
  })

  it('whose Finished is too short', () => {
    const { server } = connectInMemory({
      alter: (message) => (message.type === FINISHED ? { ...message, body: message.body.subarray(0, 11) } : message),
    })
    expect(server).toMatchObject({ session: undefined, closed: 'Finished does not fit' })
  })

  it('that shows no certificate', () => {
    const { server } = connectInMemory({ withoutCertificate: true })
    expect(server).toMatchObject({ session: undefined, closed: 'the peer shows no certificate' })
  })

  it('that leaves out the Certificate message', () => {
    const { server } = connectInMemory({ alter: without(CERTIFICATE) })
    expect(server).toMatchObject({ session: undefined })
  })

  it('that skips Certificate and numbers on', () => {
    const { server } = connectInMemory({ alter: skip(CERTIFICATE, 1) })
    expect(server.session).toBeUndefined()
    expect(server.closed).toMatch(/is out of order$/)
  })

  it('that skips CertificateVerify and numbers on', () => {
    const { client, server } = connectInMemory({ alter: skip(CERTIFICATE_VERIFY, 3) })
    expect(server.session).toBeUndefined()
    expect(client.session).toBeUndefined()
  })

  it('whose certificate is damaged', () => {
    const { server } = connectInMemory({
      alter: (message) =>
        message.type === CERTIFICATE ? { ...message, body: Buffer.from(message.body).fill(7, 6) } : message,
    })
    expect(server).toMatchObject({ session: undefined, closed: 'the certificate of the peer has no P-256 key' })
  })

  it.each([
    ['X25519 key of low order', X25519, Buffer.alloc(32)],
    ['point outside of P-256', P_256, Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)])],
    ['compressed point', P_256, Buffer.concat([Buffer.of(2), Buffer.alloc(32, 1)])],
    ['empty key', X25519, Buffer.alloc(0)],
  ] as const)('with a %s', (_name, group, clientKey) => {
    const { server } = connectInMemory({ groups: [group], clientKey })
    expect(server).toMatchObject({ session: undefined, closed: 'the key of the peer is not valid' })
  })

  it.each([
    ['the extended master secret', { withoutExtension: EXTENDED_MASTER_SECRET }],
    ['an SRTP profile', { withoutExtension: USE_SRTP }],
    ['an SRTP profile', { profiles: [] }],
    ['X25519 or P-256', { groups: [] }],
    ['the cipher suite', { suites: [0xc02f] }],
    ['a first handshake', { moreExtensions: [[RENEGOTIATION_INFO, Buffer.of(1, 1)]] as const }],
  ])('that does not offer %s', (what, deviations) => {
    const { client, server } = connectInMemory(deviations)
    expect(server).toMatchObject({ session: undefined, closed: `the client does not offer ${what}` })
    expect(client.alerts).toEqual([40])
  })

  it('of DTLS 1.0', () => {
    const { server } = connectInMemory({ version: 0xfeff })
    expect(server.closed).toBe('the client wants another version')
  })

  it('that names an extension twice', () => {
    const { server } = connectInMemory({ moreExtensions: [[EXTENDED_MASTER_SECRET, Buffer.alloc(0)]] })
    expect(server.closed).toBe('an extension is there twice')
  })
})

function without(type: number) {
  return (message: HandshakeMessage) => (message.type === type ? undefined : message)
}

function skip(type: number, sequence: number) {
  return (message: HandshakeMessage) => {
    if (message.type === type) return undefined
    return message.sequence > sequence ? { ...message, sequence: message.sequence - 1 } : message
  }
}

function flipLastBitOf(type: number) {
  return (message: HandshakeMessage) => {
    if (message.type !== type) return message
    const body = Buffer.from(message.body)
    body[body.length - 1]! ^= 1
    return { ...message, body }
  }
}
