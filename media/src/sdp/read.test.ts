import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recordedSdp } from '../../test/recorded-sdp.ts'
import type { Description } from './description.ts'
import { readDescription } from './read.ts'

const CLIENTS = ['chromium-publisher', 'firefox-publisher', 'rtc-node-publisher', 'pion-whip', 'obs-whip']

function read(sdp: string): Description {
  const result = readDescription(sdp)
  if (!result.ok) throw new Error(result.problem)
  return result.description
}

const problemOf = (sdp: string): string | undefined => {
  const result = readDescription(sdp)
  return result.ok ? undefined : result.problem
}

describe('readDescription', () => {
  it('reads what Chromium offers', () => {
    const { ufrag, pwd, fingerprint, setup, sections } = read(recordedSdp('chromium-publisher'))
    expect({ ufrag, pwd, setup }).toEqual({ ufrag: 'V1hU', pwd: 'DIc4jMCMMeZzmcvgHSRaFvfc', setup: 'actpass' })
    expect(fingerprint).toMatch(/^sha-256 4F:28:.*:66$/)
    expect(sections.map(({ mid, kind, direction }) => [mid, kind, direction])).toEqual([
      ['0', 'audio', 'sendonly'],
      ['1', 'video', 'sendonly'],
      ['2', 'video', 'sendonly'],
      ['3', 'audio', 'recvonly'],
      ['4', 'application', 'sendrecv'],
    ])
    const [audio, simulcast, plain] = sections
    expect(audio?.codecs[0]).toEqual({
      payloadType: 111,
      mime: 'audio/opus',
      clockRate: 48000,
      channels: 2,
      parameters: new Map([
        ['minptime', '10'],
        ['useinbandfec', '1'],
      ]),
      feedback: ['transport-cc'],
    })
    expect(audio?.extensions[0]).toEqual({ id: 1, uri: 'urn:ietf:params:rtp-hdrext:ssrc-audio-level' })
    expect(audio?.ssrcs).toEqual([2663848694])
    expect(audio?.msid).toEqual({
      stream: 'f5b0bb18-3dfb-48e9-83d9-1f41c623152a',
      track: 'fc317fb4-a2df-49d1-9061-89774fc7a148',
    })
    expect(simulcast).toMatchObject({ rids: ['q', 'h', 'f'], ssrcs: [] })
    expect(plain).toMatchObject({ rids: [], ssrcs: [2546625872], repairSsrcs: new Map([[2546625872, 4057558895]]) })
  })

  it('reads what Firefox offers: bundle-only sections with port 0, and ssrcs next to rids', () => {
    const { sections, ufrag, fingerprint } = read(recordedSdp('firefox-publisher'))
    expect(ufrag).toBe('bff68d1a')
    expect(fingerprint).toMatch(/^sha-256 5E:E4:/)
    expect(sections.map(({ isRejected }) => isRejected)).toEqual([false, false, false])
    expect(sections[1]).toMatchObject({
      rids: ['q', 'h', 'f'],
      ssrcs: [1970360779, 759602803, 1018914776],
      msid: { track: '{9d8da47d-c1cb-4477-b22e-62b3fa1d992f}' },
    })
    expect(sections[1]?.extensions).toContainEqual({ id: 9, uri: 'urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id' })
  })

  it('reads what OBS offers: the transport at the session, the track at the ssrc', () => {
    const { ufrag, sections } = read(recordedSdp('obs-whip'))
    expect(ufrag).toBe('jHWh')
    expect(sections[1]).toMatchObject({
      ssrcs: [1071284612],
      msid: { stream: 'obs-stream', track: 'obs-video' },
      extensions: [],
    })
  })

  it('reads what pion and rtc-node offer', () => {
    expect(read(recordedSdp('pion-whip')).sections.map(({ kind }) => kind)).toEqual(['video', 'audio'])
    const kinds = read(recordedSdp('rtc-node-publisher')).sections.map(({ kind, direction }) => `${kind} ${direction}`)
    expect(kinds.filter((each) => each.endsWith('recvonly'))).toHaveLength(6)
  })

  it('knows a section that is rejected from one that is only bundled', () => {
    const rejected = recordedSdp('chromium-publisher').replace('m=video 9', 'm=video 0')
    expect(read(rejected).sections.map(({ isRejected }) => isRejected)).toEqual([false, true, false, false, false])
  })

  it('orders the layers of LiveKit clients from the lowest to the highest, and takes the first alternative', () => {
    const sdp = recordedSdp('chromium-publisher')
    expect(read(sdp.replace('send q;h;f', 'send f;~h;q,h')).sections[1]?.rids).toEqual(['q', 'h', 'f'])
    const more = sdp
      .replace('send q;h;f', 'send a;b;c;d')
      .replaceAll(/a=rid:q send/g, 'a=rid:a send\r\na=rid:b send\r\na=rid:c send\r\na=rid:d send')
    expect(read(more).sections[1]?.rids).toEqual(['a', 'b', 'c'])
    expect(read(sdp.replace('send q;h;f', 'send f;undeclared')).sections[1]?.rids).toEqual(['f'])
  })

  it('takes the layers of an ssrc group, and else only the first ssrc for media', () => {
    const sdp = recordedSdp('obs-whip')
    const more = 'a=ssrc:5 cname:x\r\na=ssrc:6 cname:x\r\n'
    expect(read(sdp + more).sections[1]?.ssrcs).toEqual([1071284612])
    expect(read(`${sdp}${more}a=ssrc-group:SIM 1071284612 5 6\r\n`).sections[1]?.ssrcs).toEqual([1071284612, 5, 6])
  })

  it('takes feedback for all payload types from a wildcard', () => {
    const sdp = recordedSdp('obs-whip').replaceAll('a=rtcp-fb:96', 'a=rtcp-fb:*')
    expect(read(sdp).sections[1]?.codecs[0]?.feedback).toEqual(['nack', 'nack pli', 'goog-remb'])
  })

  it('says why it refuses', () => {
    const sdp = recordedSdp('obs-whip')
    expect(problemOf('')).toBe('not-sdp')
    expect(problemOf('a'.repeat(600_000))).toBe('too-large')
    expect(problemOf(sdp + 'm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:x\r\n'.repeat(300))).toBe('too-many-sections')
    expect(problemOf(sdp.replace('a=mid:1', 'a=mid:0'))).toBe('duplicate-mid')
    expect(problemOf(sdp.replace('BUNDLE 0 1', 'BUNDLE 0'))).toBe('not-bundled')
    expect(problemOf(sdp.replace('a=ice-ufrag:jHWh', ''))).toBe('no-ice-credentials')
    expect(problemOf(sdp.replace('a=ice-pwd:', 'a=ice-pwd:no spaces '))).toBe('no-ice-credentials')
    expect(problemOf(sdp.replace('a=fingerprint:sha-256', 'a=fingerprint:md5'))).toBe('no-fingerprint')
    expect(problemOf(sdp.replace('m=video 40130', 'm=video -1'))).toBe('not-sdp')
    expect(problemOf(sdp.replace('a=mid:1\r\n', ''))).toBe('not-sdp')
  })

  it('never throws, whatever it is given', () => {
    const recorded = CLIENTS.map((name) => recordedSdp(name))
    fc.assert(fc.property(fc.string({ maxLength: 400 }), (text) => void readDescription(`v=0\r\n${text}`)))
    fc.assert(
      fc.property(
        fc.constantFrom(...recorded),
        fc.nat(),
        fc.nat({ max: 60 }),
        fc.string({ maxLength: 20, unit: 'binary' }),
        (sdp, at, removed, inserted) => {
          const position = at % sdp.length
          readDescription(sdp.slice(0, position) + inserted + sdp.slice(position + removed))
          readDescription(sdp.slice(0, position))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('reads long lines and many attributes in linear time', () => {
    const sdp = recordedSdp('obs-whip')
    const long = `a=ssrc:${'1 '.repeat(100_000)}\r\na=simulcast:send ${'q;'.repeat(100_000)}\r\n`
    const many = 'a=rtcp-fb:96 nack\r\na=extmap:1 x\r\na=ssrc:1 x:y\r\n'.repeat(9000)
    expect(read(sdp + long).sections).toHaveLength(2)
    expect(read(sdp + many).sections[1]?.codecs[0]?.feedback.length).toBeLessThan(40)
  })
})
