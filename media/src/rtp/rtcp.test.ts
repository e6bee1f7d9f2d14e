import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withMissingList } from '../../test/memory-transport.ts'
import { readRtcp } from './read-rtcp.ts'
import {
  writeBye,
  writeCname,
  writeFullIntraRequest,
  writeMaxBitrate,
  writeNack,
  writePictureLoss,
  writeReceiverReport,
  writeSenderReport,
  writeTransportFeedback,
} from './write-rtcp.ts'

const block = {
  ssrc: 7,
  fractionLost: 26,
  totalLost: -3,
  highestSequence: 0x1ffff,
  jitter: 90,
  lastReport: 0x80000001,
  delaySinceLastReport: 65536,
}
const report = {
  type: 'sender-report' as const,
  ssrc: 0xffffffff,
  ntpSeconds: 0xe0000000,
  ntpFraction: 0x80000000,
  rtpTimestamp: 0xfffffffe,
  packets: 5,
  octets: 6,
  reports: [block],
}

const everyKind = Buffer.concat([
  writeSenderReport(report),
  writeCname(9, 'PA_owner'),
  writeReceiverReport(1, [block, block]),
  writeNack(1, 2, [5, 6, 22, 40]),
  writePictureLoss(1, 2),
  writeFullIntraRequest(1, 2, 255),
  writeMaxBitrate(1, 2_500_000, [3, 4]),
  writeTransportFeedback(1, 2, Buffer.alloc(8)),
  writeBye([1, 2]),
])

describe('readRtcp', () => {
  it('reads what the writers wrote', () => {
    expect(readRtcp(everyKind).map(withMissingList)).toEqual([
      report,
      { type: 'source-description', cnames: [{ ssrc: 9, cname: 'PA_owner' }] },
      { type: 'receiver-report', ssrc: 1, reports: [block, block] },
      { type: 'nack', sender: 1, ssrc: 2, missing: [5, 6, 22, 40] },
      { type: 'picture-loss', sender: 1, ssrc: 2 },
      { type: 'full-intra-request', sender: 1, requests: [{ ssrc: 2, number: 255 }] },
      { type: 'max-bitrate', sender: 1, bitrate: 2_500_000, ssrcs: [3, 4] },
      { type: 'transport-feedback', sender: 1, ssrc: 2, content: Buffer.alloc(8) },
      { type: 'bye', ssrcs: [1, 2] },
    ])
  })

  it('writes any set of missing sequence numbers, across a wrap too', () => {
    const sets = fc.uniqueArray(fc.nat(400), { minLength: 1 }).map((list) => list.sort((a, b) => a - b))
    fc.assert(
      fc.property(sets, fc.nat(0xffff), (offsets, start) => {
        const missing = offsets.map((offset) => (start + offset) & 0xffff)
        expect(readRtcp(writeNack(1, 2, missing)).map(withMissingList)).toEqual([
          { type: 'nack', sender: 1, ssrc: 2, missing },
        ])
      }),
    )
  })

  it('reads no more of a long list of missing packets than is asked for', () => {
    const list = Buffer.alloc(4 + 8 + 4 * 1000, 0xff)
    list.set([0x81, 205, (2 + 1000) >> 8, (2 + 1000) & 0xff])
    const [packet] = readRtcp(list)
    if (packet?.type !== 'nack') throw new Error('not read')
    const numbers = packet.missing[Symbol.iterator]()
    expect(numbers.next().value).toBe(0xffff)
    list.fill(0, 16)
    expect(numbers.next().value).toBe(0)
    for (let index = 0; index < 15; index++) numbers.next()
    expect([numbers.next().value, numbers.next().value]).toEqual([0, 0])
  })

  it('writes bit rates with 18 significant bits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 40 }), (bitrate) => {
        const [packet] = readRtcp(writeMaxBitrate(1, bitrate, []))
        if (packet?.type !== 'max-bitrate') throw new Error('not read')
        expect(packet.bitrate).toBeLessThanOrEqual(bitrate)
        expect(packet.bitrate).toBeGreaterThanOrEqual(bitrate * (1 - 2 ** -17))
      }),
    )
  })

  it('skips packets that it does not know, and stops at the first that is malformed', () => {
    const unknown = Buffer.from([0x80, 207, 0, 1, 0, 0, 0, 1])
    const truncated = writePictureLoss(1, 2).subarray(0, 8)
    const kinds = readRtcp(Buffer.concat([unknown, writePictureLoss(1, 2), truncated])).map(({ type }) => type)
    expect(kinds).toEqual(['picture-loss'])
  })

  it('never throws on random bytes, truncations and bit flips', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void readRtcp(Buffer.from(bytes))),
      { numRuns: 1000 },
    )
    fc.assert(
      fc.property(fc.nat(everyKind.length - 1), fc.nat(255), fc.nat(everyKind.length), (at, value, length) => {
        const bytes = Buffer.from(everyKind)
        bytes[at] = value
        readRtcp(bytes)
        readRtcp(bytes.subarray(0, length))
      }),
      { numRuns: 3000 },
    )
  })
})
