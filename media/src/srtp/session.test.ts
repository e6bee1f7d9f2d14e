import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { AEAD_AES_128_GCM, AES128_CM_HMAC_SHA1_80, type SrtpProfile } from '../dtls/client-hello.ts'
import { createSrtpSession } from './session.ts'

const PROFILES: [string, SrtpProfile][] = [
  ['AEAD_AES_128_GCM', AEAD_AES_128_GCM],
  ['AES128_CM_HMAC_SHA1_80', AES128_CM_HMAC_SHA1_80],
]

function createPair(profile: SrtpProfile = AEAD_AES_128_GCM) {
  const masterKey = () => ({ key: randomBytes(16), salt: randomBytes(profile === AEAD_AES_128_GCM ? 12 : 14) })
  const keys = { profile, client: masterKey(), server: masterKey() }
  let exhausted = 0
  const server = createSrtpSession(keys, 'server', () => void (exhausted += 1))
  return { client: createSrtpSession(keys, 'client'), server, exhausted: () => exhausted }
}

function rtpHeader(sequenceNumber: number, ssrc = 1): Buffer {
  const header = Buffer.alloc(12)
  header[0] = 0x80
  header.writeUInt16BE(sequenceNumber, 2)
  header.writeUInt32BE(ssrc, 8)
  return header
}

const rtcp = (ssrc: number, text: string) => {
  const header = Buffer.from('80c9000100000000', 'hex')
  header.writeUInt32BE(ssrc, 4)
  return Buffer.concat([header, Buffer.from(text)])
}

describe.each(PROFILES)('an SRTP session with %s', (_name, profile) => {
  it('opens what the other side has sealed, of any length', () => {
    const { client, server } = createPair(profile)
    for (const [index, size] of [0, 1, 15, 16, 17, 120, 1100, 1199].entries()) {
      const payload = randomBytes(size)
      const plain = Buffer.concat([rtpHeader(index), payload])
      expect(server.openRtp(client.sealRtp(rtpHeader(index), payload))).toEqual(plain)
      expect(client.openRtp(server.sealRtp(rtpHeader(index), payload))).toEqual(plain)
      const compound = rtcp(7, payload.toString('hex'))
      expect(server.openRtcp(client.sealRtcp(compound))).toEqual(compound)
    }
  })

  it('leaves contributing sources and extensions readable', () => {
    const { client, server } = createPair(profile)
    const header = Buffer.concat([
      rtpHeader(5),
      Buffer.from('0000000a0000000b', 'hex'),
      Buffer.from('bede000110aa0000', 'hex'),
    ])
    header[0] = 0x92
    const sealed = client.sealRtp(header, Buffer.from('voice'))
    expect(sealed.subarray(0, header.length)).toEqual(header)
    expect(server.openRtp(sealed)).toEqual(Buffer.concat([header, Buffer.from('voice')]))
  })

  it('drops replays', () => {
    const { client, server } = createPair(profile)
    const packet = client.sealRtp(rtpHeader(1), Buffer.from('once'))
    const report = client.sealRtcp(rtcp(1, 'once'))
    expect(server.openRtp(packet)).toBeDefined()
    expect(server.openRtp(packet)).toBeUndefined()
    expect(server.openRtcp(report)).toBeDefined()
    expect(server.openRtcp(report)).toBeUndefined()
  })

  it('drops packets with a flipped bit, wherever it is', () => {
    const { client, server } = createPair(profile)
    const packet = client.sealRtp(rtpHeader(1), Buffer.from('voice'))
    const report = client.sealRtcp(rtcp(1, 'report'))
    for (let bit = 0; bit < packet.length * 8; bit += 1) expect(server.openRtp(flipped(packet, bit))).toBeUndefined()
    for (let bit = 0; bit < report.length * 8; bit += 1) expect(server.openRtcp(flipped(report, bit))).toBeUndefined()
    expect(server.openRtp(packet)).toBeDefined()
    expect(server.openRtcp(report)).toBeDefined()
  })

  it('drops packets that are cut short', () => {
    const { client, server } = createPair(profile)
    const packet = client.sealRtp(rtpHeader(1), Buffer.from('voice'))
    const report = client.sealRtcp(rtcp(1, 'report'))
    for (let size = 0; size < packet.length; size += 1) expect(server.openRtp(packet.subarray(0, size))).toBeUndefined()
    for (let size = 0; size < report.length; size += 1)
      expect(server.openRtcp(report.subarray(0, size))).toBeUndefined()
  })

  it('does not open its own packets', () => {
    const { client } = createPair(profile)
    expect(client.openRtp(client.sealRtp(rtpHeader(1), Buffer.from('mirrored')))).toBeUndefined()
    expect(client.openRtcp(client.sealRtcp(rtcp(1, 'mirrored')))).toBeUndefined()
  })

  it('counts roll-overs through loss and disorder', () => {
    const { client, server } = createPair(profile)
    const order = [65_500, 65_530, 65_535, 2, 65_533, 0, 1, 30_000, 62_000, 65_535, 3, 65_534]
    const sealed = order.map((number) => client.sealRtp(rtpHeader(number), Buffer.from(`${number}`)))
    expect(sealed.map((packet) => server.openRtp(packet)?.toString('latin1', 12))).toEqual(order.map(String))
  })
})

describe('an SRTP session', () => {
  it('starts every outgoing stream before its first roll-over', () => {
    const { client, server } = createPair()
    for (const number of [1, 30_000, 60_000, 20_000]) server.sealRtp(rtpHeader(number, 1), Buffer.alloc(1))
    const late = server.sealRtp(rtpHeader(20_000, 2), Buffer.from('for a late viewer'))
    expect(client.openRtp(late)).toBeDefined()
  })

  it('seals the same packet to the same bytes, also after a roll-over', () => {
    const { server } = createPair()
    const seal = (number: number) => server.sealRtp(rtpHeader(number), Buffer.from('again'))
    const first = seal(65_535)
    seal(0)
    expect(seal(65_535)).toEqual(first)
  })

  it('accepts a retransmission that is a thousand packets late', () => {
    const { client, server } = createPair()
    const lost = client.sealRtp(rtpHeader(10), Buffer.from('late'))
    for (let number = 11; number < 1030; number += 1) server.openRtp(client.sealRtp(rtpHeader(number), Buffer.alloc(1)))
    expect(server.openRtp(lost)).toBeDefined()
    expect(server.openRtp(lost)).toBeUndefined()
  })

  it('drops packets older than its memory', () => {
    const { client, server } = createPair()
    const lost = client.sealRtp(rtpHeader(10), Buffer.from('too late'))
    server.openRtp(client.sealRtp(rtpHeader(10 + 1024), Buffer.alloc(1)))
    expect(server.openRtp(lost)).toBeUndefined()
  })

  it('lets streams come and go, and back, without accepting their replays', () => {
    const { client, server } = createPair()
    const first = client.sealRtp(rtpHeader(1, 0), Buffer.from('first'))
    expect(server.openRtp(first)).toBeDefined()
    for (let ssrc = 1; ssrc <= 40; ssrc += 1)
      expect(server.openRtp(client.sealRtp(rtpHeader(1, ssrc), Buffer.alloc(1)))).toBeDefined()
    expect(server.openRtp(first)).toBeUndefined()
    expect(server.openRtp(client.sealRtp(rtpHeader(2, 0), Buffer.from('back')))).toBeDefined()
    expect(server.openRtp(first)).toBeUndefined()
  })

  it('remembers the roll-overs of a stream that was silent while others came', () => {
    const { client, server } = createPair()
    for (const number of [65_535, 0]) server.openRtp(client.sealRtp(rtpHeader(number, 0), Buffer.alloc(1)))
    for (let ssrc = 1; ssrc <= 40; ssrc += 1) server.openRtp(client.sealRtp(rtpHeader(1, ssrc), Buffer.alloc(1)))
    expect(server.openRtp(client.sealRtp(rtpHeader(1, 0), Buffer.from('back')))).toBeDefined()
  })

  it('refuses new streams beyond a limit and says so, and keeps serving the known ones', () => {
    const { client, server, exhausted } = createPair()
    const opened = Array.from({ length: 600 }, (_, ssrc) =>
      server.openRtp(client.sealRtp(rtpHeader(1, ssrc), Buffer.alloc(1))),
    )
    expect(opened.filter((packet) => packet !== undefined)).toHaveLength(512)
    expect(exhausted()).toBe(88)
    expect(server.openRtp(client.sealRtp(rtpHeader(2, 3), Buffer.alloc(1)))).toBeDefined()
  })

  it('does not let forged packets use up the limit', () => {
    const { client, server, exhausted } = createPair()
    for (let ssrc = 0; ssrc < 600; ssrc += 1) server.openRtp(Buffer.concat([rtpHeader(1, ssrc), randomBytes(40)]))
    expect(server.openRtp(client.sealRtp(rtpHeader(1, 7), Buffer.alloc(1)))).toBeDefined()
    expect(exhausted()).toBe(0)
  })

  it('counts the reports of every sender on its own', () => {
    const { client, server } = createPair()
    const reports = [1, 2, 1, 2].map((ssrc) => client.sealRtcp(rtcp(ssrc, 'report')))
    for (const report of reports.toReversed()) expect(server.openRtcp(report)).toBeDefined()
  })
})

function flipped(packet: Buffer, bit: number): Buffer {
  const copy = Buffer.from(packet)
  copy[bit >> 3]! ^= 1 << (bit & 7)
  return copy
}
