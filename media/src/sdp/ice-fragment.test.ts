import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AUDIO } from '../../test/rtp-stream.ts'
import { readIceFragment, writeIceFragment } from './ice-fragment.ts'

describe('readIceFragment', () => {
  test('finds the credentials in any section', () => {
    const lines = 'a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\n'
    const credentials = { ufrag: 'EsAw', pwd: 'P2uYro0UCOQ4zxjKXaWCBui1' }
    expect(readIceFragment(lines)).toEqual(credentials)
    expect(readIceFragment(`m=audio 9 RTP/AVP 0\r\na=mid:0\r\n${lines}`)).toEqual(credentials)
  })

  test.each([
    '',
    'a=ice-ufrag:EsAw',
    'a=ice-ufrag:abc\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1',
    'a=ice-ufrag:EsAw\r\na=ice-pwd:short',
    'x a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1',
  ])('finds none in %j', (fragment) => {
    expect(readIceFragment(fragment)).toBeNull()
  })

  test('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (fragment) => void readIceFragment(fragment)))
  })
})

describe('writeIceFragment', () => {
  test('names the credentials and candidates in one section', () => {
    const local = { ufrag: 'ours', pwd: 'a+password+of+22+chars' }
    expect(writeIceFragment(AUDIO, local, ['candidate:1 1 udp 1 127.0.0.1 7882 typ host'])).toBe(
      [
        'a=ice-lite',
        'm=audio 9 UDP/TLS/RTP/SAVPF 109',
        'a=mid:0',
        'a=ice-ufrag:ours',
        'a=ice-pwd:a+password+of+22+chars',
        'a=candidate:1 1 udp 1 127.0.0.1 7882 typ host',
        'a=end-of-candidates',
        '',
      ].join('\r\n'),
    )
  })
})
