import { describe, expect, it } from 'vitest'
import { crc32 } from 'node:zlib'
import {
  attributes,
  BINDING_REQUEST,
  FINGERPRINT,
  isAuthentic,
  MESSAGE_INTEGRITY,
  readBindingRequest,
  USE_CANDIDATE,
  USERNAME,
  writeBindingResponse,
  writeMessage,
  XOR_MAPPED_ADDRESS,
} from './stun.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

/** RFC 5769, section 2.1. */
const SAMPLE = hex(
  '00010058 2112a442 b7e7a701 bc34d686 fa87dfae 80220010 5354554e 20746573 7420636c 69656e74 00240004 6e0001ff' +
    '80290008 932ff9b1 51263b36 00060009 6576746a 3a683676 59202020 00080014 9aeaa70c bfd8cb56 781ef2b5 b2d3f249 c1b571a2' +
    '80280004 e57a3bcf',
)
const PASSWORD = 'VOkJxbRl1RmTxUk/WvJxBt'
const TRANSACTION_ID = hex('b7e7a701 bc34d686 fa87dfae')

function valueOf(message: Buffer, wanted: number): Buffer | undefined {
  return [...attributes(message)].find(({ type }) => type === wanted)?.value
}

describe('readBindingRequest', () => {
  it('reads the sample request of RFC 5769', () => {
    const request = readBindingRequest(SAMPLE)!
    expect(request).toMatchObject({ ufrag: 'evtj', useCandidate: false, transactionId: TRANSACTION_ID })
    expect(isAuthentic(request, PASSWORD)).toBe(true)
    expect(isAuthentic(request, `${PASSWORD}x`)).toBe(false)
  })

  it('notices every flipped bit before the digest, and in it', () => {
    const digestEnd = SAMPLE.length - 8
    for (let bit = 0; bit < digestEnd * 8; bit += 1) {
      const damaged = Buffer.from(SAMPLE)
      damaged[bit >> 3]! ^= 1 << (bit & 7)
      const request = readBindingRequest(damaged)
      expect(request !== undefined && isAuthentic(request, PASSWORD)).toBe(false)
    }
  })

  it('reads a nomination', () => {
    const content = [[USERNAME, Buffer.from('ours:theirs')] as const, [USE_CANDIDATE, Buffer.alloc(0)] as const]
    const request = readBindingRequest(writeMessage(BINDING_REQUEST, TRANSACTION_ID, content, PASSWORD))
    expect(request).toMatchObject({ ufrag: 'ours', useCandidate: true })
  })

  it('does not read a nomination that follows the digest', () => {
    const message = writeMessage(BINDING_REQUEST, TRANSACTION_ID, [[USERNAME, Buffer.from('ours:theirs')]], PASSWORD)
    const extended = Buffer.concat([message, hex('00250000')])
    extended.writeUInt16BE(extended.length - 20, 2)
    expect(readBindingRequest(extended)).toMatchObject({ useCandidate: false })
  })

  it.each([
    ['a response', writeMessage(0x0101, TRANSACTION_ID, [[USERNAME, Buffer.from('a:b')]], PASSWORD)],
    ['no user name', writeMessage(BINDING_REQUEST, TRANSACTION_ID, [], PASSWORD)],
    [
      'a user name that is too long',
      writeMessage(BINDING_REQUEST, TRANSACTION_ID, [[USERNAME, Buffer.alloc(600)]], PASSWORD),
    ],
    ['another length than it says', Buffer.concat([SAMPLE, Buffer.alloc(4)])],
    ['no digest', Buffer.concat([hex('0001000c 2112a442'), TRANSACTION_ID, hex('00060003 613a6200 00250000')])],
    ['nothing', Buffer.alloc(0)],
  ])('refuses a message with %s', (_name, message) => {
    expect(readBindingRequest(message)).toBeUndefined()
  })
})

describe('writeBindingResponse', () => {
  it('hides the address as in RFC 5769, sections 2.2 and 2.3', () => {
    const four = writeBindingResponse(TRANSACTION_ID, { address: '192.0.2.1', port: 32_853 }, PASSWORD)
    expect(valueOf(four, XOR_MAPPED_ADDRESS)).toEqual(hex('0001a147 e112a643'))
    const six = { address: '2001:db8:1234:5678:11:2233:4455:6677', port: 32_853 }
    const answer = writeBindingResponse(TRANSACTION_ID, six, PASSWORD)
    expect(valueOf(answer, XOR_MAPPED_ADDRESS)).toEqual(hex('0002a147 0113a9fa a5d3f179 bc25f4b5 bed2b9d9'))
  })

  it('ends with a digest and a checksum', () => {
    const message = writeBindingResponse(TRANSACTION_ID, { address: '192.0.2.1', port: 1 }, PASSWORD)
    expect([...attributes(message)].map(({ type }) => type)).toEqual([
      XOR_MAPPED_ADDRESS,
      MESSAGE_INTEGRITY,
      FINGERPRINT,
    ])
    const checksum = valueOf(message, FINGERPRINT)!.readUInt32BE()
    expect(checksum).toBe((crc32(message.subarray(0, -8)) ^ 0x5354_554e) >>> 0)
  })
})
