import { describe, expect, it } from 'vitest'
import { recordedSdp } from '../../test/recorded-sdp.ts'
import { acceptSection, type AcceptedSection, type CodecPreferences } from './accept.ts'
import { writeAnswer } from './answer.ts'
import type { Description } from './description.ts'
import { readDescription } from './read.ts'

const local = { ufrag: 'abcdefgh', pwd: 'abcdefghijklmnopqrstuvwx', fingerprint: `sha-256 ${'AB:'.repeat(31)}AB` }
const candidates = ['candidate:1 1 udp 2130706431 127.0.0.1 7882 typ host']

function read(sdp: string): Description {
  const result = readDescription(sdp)
  if (!result.ok) throw new Error(result.problem)
  return result.description
}

function answerTo(name: string, preferences: CodecPreferences = {}, edit = (sdp: string): string => sdp): string {
  const offer = read(edit(recordedSdp(name)))
  const accepted = new Map<string, AcceptedSection>()
  for (const section of offer.sections) {
    const taken = acceptSection(section, preferences)
    if (taken) accepted.set(section.mid, taken)
  }
  return writeAnswer({ offer, local, role: 'server', candidates, accepted, version: 3 })
}

const sectionsOf = (sdp: string): string[] => sdp.split('\r\nm=').slice(1)

describe('writeAnswer', () => {
  it('answers Chromium: Opus with redundancy first, VP8 with its layers, the rest inactive, and the data section', () => {
    const answer = answerTo('chromium-publisher')
    expect(answer).toContain('o=- 7262536247815219201 3 IN IP4 0.0.0.0\r\n')
    expect(answer).toContain('a=ice-lite\r\na=group:BUNDLE 0 1 2 3 4\r\n')
    const [audio, simulcast, plain, inactive, data] = sectionsOf(answer)
    expect(audio).toMatch(/^audio 9 UDP\/TLS\/RTP\/SAVPF 63 111\r\n/)
    expect(audio).toContain('a=rtpmap:63 red/48000/2\r\na=fmtp:63 111/111\r\na=rtpmap:111 opus/48000/2')
    expect(audio).toContain('a=fmtp:111 minptime=10;useinbandfec=1;usedtx=1')
    expect(audio).toContain('a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level')
    expect(audio).toContain('a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid')
    expect(audio).toContain(`a=${candidates[0]}\r\na=end-of-candidates`)
    expect(simulcast).toMatch(/^video 9 UDP\/TLS\/RTP\/SAVPF 96 97\r\n/)
    expect(simulcast).toContain('a=rid:q recv\r\na=rid:h recv\r\na=rid:f recv\r\na=simulcast:recv q;h;f')
    expect(simulcast).toContain('a=rtcp-fb:96 nack pli')
    expect(simulcast).toContain('a=rtcp-fb:96 transport-cc')
    expect(simulcast).toContain('a=fmtp:96 x-google-start-bitrate=1500')
    expect(simulcast).not.toContain('a=candidate')
    expect(plain).not.toContain('a=simulcast')
    expect(inactive).toMatch(/^audio 9 /)
    expect(inactive).toContain('a=inactive')
    expect(data).toMatch(/^application 9 UDP\/DTLS\/SCTP webrtc-datachannel\r\n/)
    for (const section of sectionsOf(answer)) expect(section).toContain('a=setup:passive')
  })

  it.each([
    ['the track must not be repeated', { withRedundancy: false }, (sdp: string) => sdp],
    ['it is not of Opus alone', {}, (sdp: string) => sdp.replaceAll('111/111', '111/9')],
    ['nothing says what it consists of', {}, (sdp: string) => sdp.replaceAll(/a=fmtp:63 \S+\s+/g, '')],
  ])('leaves redundancy out when %s', (_why, preferences, edit) => {
    const [audio] = sectionsOf(answerTo('chromium-publisher', preferences, edit))
    expect(audio).toMatch(/^audio 9 UDP\/TLS\/RTP\/SAVPF 111\r\n/)
    expect(audio).not.toContain('red/48000')
  })

  it('keeps the header extensions of a section that has become inactive', () => {
    const answer = answerTo('chromium-publisher', {}, (sdp) => sdp.replaceAll('a=sendonly', 'a=inactive'))
    const [audio, simulcast] = sectionsOf(answer)
    expect(audio).toContain('a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level')
    expect(simulcast).toContain('a=inactive')
    expect(simulcast).toContain('urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id')
  })

  it('answers the recvonly sections of rtc-node inactive with port 9', () => {
    const sections = sectionsOf(answerTo('rtc-node-publisher'))
    expect(sections).toHaveLength(9)
    expect(sections.filter((section) => section.includes('a=inactive'))).toHaveLength(6)
    for (const section of sections) expect(section).toMatch(/^\w+ 9 /)
  })

  it('answers Firefox with its own payload types and extension ids', () => {
    const [audio, video] = sectionsOf(answerTo('firefox-publisher'))
    expect(audio).toContain('a=rtpmap:109 opus/48000/2')
    expect(video).toMatch(/^video 9 UDP\/TLS\/RTP\/SAVPF 120 124\r\n/)
    expect(video).toContain('a=extmap:9 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id')
    expect(video).not.toContain('max-fs')
  })

  it('answers OBS with H.264 and stereo sound', () => {
    const [audio, video] = sectionsOf(answerTo('obs-whip', { video: ['video/h264'], isStereo: true, withDtx: false }))
    expect(audio).toContain('a=fmtp:111 minptime=10;useinbandfec=1;stereo=1')
    expect(video).toContain('a=rtpmap:96 H264/90000')
    expect(video).toContain('a=fmtp:96 profile-level-id=42e01f;packetization-mode=1;level-asymmetry-allowed=1;x-google')
    expect(video).not.toContain('rtx')
  })

  it('picks constrained baseline in packetization mode 1 when H.264 is preferred', () => {
    const [video] = sectionsOf(answerTo('pion-whip', { video: ['video/h264', 'video/vp8'] }))
    expect(video).toMatch(/^video 9 UDP\/TLS\/RTP\/SAVPF 106 107\r\n/)
  })

  it('answers a rejected section with port 0, outside of the bundle', () => {
    const answer = answerTo('chromium-publisher', {}, (sdp) => sdp.replace('m=video 9', 'm=video 0'))
    expect(answer).toContain('a=group:BUNDLE 0 2 3 4\r\n')
    expect(sectionsOf(answer)[1]).toMatch(/^video 0 /)
  })

  it('answers an offer without a codec of ours inactive', () => {
    const answer = answerTo('obs-whip', { video: ['video/vp8'] })
    expect(sectionsOf(answer)[1]).toContain('a=inactive')
  })

  it('answers codecs with other clock rates or channels inactive, which no viewer could tell from the usual ones', () => {
    for (const [usual, other] of [
      ['opus/48000/2', 'opus/48000'],
      ['opus/48000/2', 'opus/8000/2'],
      ['H264/90000', 'H264/8000'],
    ] as const) {
      const answer = answerTo('obs-whip', {}, (sdp) => sdp.replace(usual, other))
      expect(sectionsOf(answer).filter((section) => section.includes('a=inactive'))).toHaveLength(1)
    }
  })

  it('writes what it can read itself', () => {
    const { sections, isIceLite, setup } = read(answerTo('chromium-publisher'))
    expect({ isIceLite, setup }).toEqual({ isIceLite: true, setup: 'passive' })
    expect(sections.map(({ direction }) => direction)).toEqual([
      'recvonly',
      'recvonly',
      'recvonly',
      'inactive',
      'sendrecv',
    ])
  })
})
