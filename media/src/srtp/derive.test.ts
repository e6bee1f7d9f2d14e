import { describe, expect, it } from 'vitest'
import { derive, deriveSessionKeys } from './derive.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

describe('deriveSessionKeys', () => {
  const master = { key: hex('E1F97A0D3E018BE0D64FA32C06DE4139'), salt: hex('0EC675AD498AFEEBB6960B3AABE6') }

  it('yields the keys of RFC 3711, appendix B.3', () => {
    const { rtp } = deriveSessionKeys(master)
    expect(rtp.key).toEqual(hex('C61E7A93744F39EE10734AFE3FF7A087'))
    expect(rtp.salt).toEqual(hex('30CBBC08863D8C85D49DB34A9AE1'))
    expect(rtp.authentication).toEqual(hex('CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4'))
  })

  it('yields the long authentication key of RFC 3711, appendix B.3', () => {
    expect(derive(master, 1, 94)).toEqual(
      hex(
        'CEBE321F6FF7716B6FD4AB49AF256A15 6D38BAA48F0A0ACF3C34E2359E6CDBCE E049646C43D9327AD175578EF7227098' +
          '6371C10C9A369AC2F94A8C5FBCDDDC25 6D6E919A48B610EF17C2041E47403576 6B68642C59BBFC2F34DB60DBDFB2',
      ),
    )
  })

  it('yields other keys for RTCP', () => {
    const { rtp, rtcp } = deriveSessionKeys(master)
    expect(rtcp.key).not.toEqual(rtp.key)
    expect(rtcp.salt).not.toEqual(rtp.salt)
    expect(rtcp.authentication).not.toEqual(rtp.authentication)
  })

  it('takes the salt of GCM, which is shorter', () => {
    const { rtp } = deriveSessionKeys({ ...master, salt: master.salt.subarray(0, 12) })
    expect(rtp.salt).toHaveLength(12)
    expect(rtp.key).toEqual(
      derive({ ...master, salt: Buffer.concat([master.salt.subarray(0, 12), Buffer.alloc(2)]) }, 0, 16),
    )
  })
})
