import { describe, expect, it } from 'vitest'
import { createCmCipher } from './cm.ts'
import { deriveSessionKeys, type DirectionKeys } from './derive.ts'
import { createGcmCipher } from './gcm.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const same = (key: string, salt: string): DirectionKeys => {
  const keys = { key: hex(key), salt: hex(salt), authentication: Buffer.alloc(20) }
  return { rtp: keys, rtcp: keys }
}

describe('AEAD_AES_128_GCM', () => {
  const cipher = createGcmCipher(same('000102030405060708090a0b0c0d0e0f', '517569642070726f2071756f'))

  it('protects the RTP packet of RFC 7714, section 16.1', () => {
    const header = hex('8040f17b 8041f8d3 5501a0b2')
    const payload = Buffer.from('Gallia est omnis divisa in partes tres')
    const sealed = hex(
      '8040f17b 8041f8d3 5501a0b2 f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5 0d294e6f 42a5f47a 51c7d19b 36de3adf 8833' +
        '899d7f27 beb16a91 52cf765e e4390cce',
    )
    expect(cipher.sealRtp(header, payload, 0)).toEqual(sealed)
    expect(cipher.openRtp(sealed, 12, 0)).toEqual(Buffer.concat([header, payload]))
  })

  it('protects the RTCP packet of RFC 7714, section 17.1', () => {
    const compound = hex(
      '81c8000d 4d617273 4e545031 4e545032 52545020 0000042a 0000e930 4c756e61 deadbeef deadbeef deadbeef deadbeef deadbeef',
    )
    const sealed = hex(
      '81c8000d 4d617273 63e94885 dcdab67c a727d766 2f6b7e99 7ff5c0f7 6c06f32d c676a5f1 730d6fda 4ce09b46 86303ded' +
        '0bb9275b c84aa458 96cf4d2f c5abf872 45d9eade 800005d4',
    )
    expect(cipher.sealRtcp(compound, 0x5d4)).toEqual(sealed)
    expect(cipher.rtcpIndex(sealed)).toBe(0x5d4)
    expect(cipher.openRtcp(sealed)).toEqual(compound)
  })

  it('does not accept the RTCP packet of RFC 7714, section 17.3, which is authentic but not encrypted', () => {
    const tagged = hex(
      '81c8000d 4d617273 4e545031 4e545032 52545020 0000042a 0000e930 4c756e61 deadbeef deadbeef deadbeef deadbeef deadbeef' +
        '841dd968 3dd78ec9 2ae58790 125f62b3 000005d4',
    )
    expect(cipher.rtcpIndex(tagged)).toBeUndefined()
    expect(cipher.openRtcp(tagged)).toBeUndefined()
  })

  it('protects a packet with derived keys as libsrtp does', () => {
    const master = { key: hex('000102030405060708090a0b0c0d0e0f'), salt: hex('a0a1a2a3a4a5a6a7a8a9aaab') }
    const sealed = createGcmCipher(deriveSessionKeys(master)).sealRtp(
      hex('800f1234decafbadcafebabe'),
      Buffer.alloc(16, 0xab),
      0,
    )
    expect(sealed).toEqual(
      hex('800f1234decafbadcafebabe c5002ede04cfdd2eb91159e0880aa06ed2976826f796b201df3131a127e8a392'),
    )
  })
})

describe('AES_CM_128_HMAC_SHA1_80', () => {
  it('encrypts with the key stream of RFC 3711, appendix B.2', () => {
    const cipher = createCmCipher(same('2B7E151628AED2A6ABF7158809CF4F3C', 'F0F1F2F3F4F5F6F7F8F9FAFBFCFD'))
    // All that the header adds to the counter is zero.
    const header = Buffer.alloc(12)
    const encrypted = cipher.sealRtp(header, Buffer.alloc(0xff02 * 16), 0).subarray(12)
    expect(encrypted.subarray(0, 48)).toEqual(
      hex('E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB 41E95B3BB0A2E8DD477901E4FCA894C0'),
    )
    expect(encrypted.subarray(0xfeff * 16, 0xff02 * 16)).toEqual(
      hex('EC8CDF7398607CB0F2D21675EA9EA1E4 362B7C3C6773516318A077D7FC5073AE 6A2CC3787889374FBEB4C81B17BA6C44'),
    )
  })

  const master = { key: hex('E1F97A0D3E018BE0D64FA32C06DE4139'), salt: hex('0EC675AD498AFEEBB6960B3AABE6') }
  const cipher = createCmCipher(deriveSessionKeys(master))

  it('protects an RTP packet as libsrtp does', () => {
    const header = hex('800f1234decafbadcafebabe')
    const sealed = hex('800f1234decafbadcafebabe 4e55dc4ce79978d88ca4d215949d2402 b78d6acc99ea179b8dbb')
    expect(cipher.sealRtp(header, Buffer.alloc(16, 0xab), 0)).toEqual(sealed)
    expect(cipher.openRtp(sealed, 12, 0)).toEqual(Buffer.concat([header, Buffer.alloc(16, 0xab)]))
  })

  it('protects an RTCP packet as libsrtp does', () => {
    const compound = Buffer.concat([hex('81c8000bcafebabe'), Buffer.alloc(16, 0xab)])
    const sealed = hex('81c8000bcafebabe 7128035be487b9bdbef89041f977a5a8 80000001 993e08cd54d6c1230798')
    expect(cipher.sealRtcp(compound, 1)).toEqual(sealed)
    expect(cipher.openRtcp(sealed)).toEqual(compound)
  })
})
