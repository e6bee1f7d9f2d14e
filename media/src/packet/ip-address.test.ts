import { describe, expect, it } from 'vitest'
import { addressBytes, isLoopbackAddress, networkOfAddress } from './ip-address.ts'

describe('addressBytes', () => {
  it.each([
    ['192.0.2.1', 'c0000201'],
    ['::', '00000000000000000000000000000000'],
    ['::1', '00000000000000000000000000000001'],
    ['2001:db8::', '20010db8000000000000000000000000'],
    ['fe80::1%eth0', 'fe800000000000000000000000000001'],
    ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
  ])('knows %s', (address, bytes) => {
    expect(addressBytes(address)).toEqual(Buffer.from(bytes, 'hex'))
  })
})

describe('isLoopbackAddress', () => {
  it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])('knows %s', (address) => {
    expect(isLoopbackAddress(address)).toBe(true)
  })

  it.each(['192.0.2.1', '::', '::2', '::ffff:192.0.2.1', '1.127.0.0'])('excludes %s', (address) => {
    expect(isLoopbackAddress(address)).toBe(false)
  })
})

describe('networkOfAddress', () => {
  it('is an IPv4 address itself, also when it is mapped into IPv6', () => {
    expect(networkOfAddress('192.0.2.1')).toBe(networkOfAddress('::ffff:192.0.2.1'))
    expect(networkOfAddress('192.0.2.1')).not.toBe(networkOfAddress('192.0.2.2'))
  })

  it('is the /64 of an IPv6 address, in any spelling', () => {
    expect(networkOfAddress('2001:db8:0:1::5')).toBe(networkOfAddress('2001:db8::1:ffff:0:0:1'))
    expect(networkOfAddress('2001:db8:0:1::5')).not.toBe(networkOfAddress('2001:db8:0:2::5'))
    expect(networkOfAddress('fe80::1%eth0')).toBe(networkOfAddress('fe80::2'))
  })
})
