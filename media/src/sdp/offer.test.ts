import { describe, expect, it } from 'vitest'
import { recordedSdp } from '../../test/recorded-sdp.ts'
import { acceptSection } from './accept.ts'
import type { Codec } from './description.ts'
import { findExtensions } from './extensions.ts'
import { writeOffer, type OfferedSection, type OfferedTrack } from './offer.ts'
import { createOfferedSections } from './offered-sections.ts'
import { readDescription } from './read.ts'
import { viewerCodec } from './viewer-codec.ts'

const local = { ufrag: 'abcdefgh', pwd: 'abcdefghijklmnopqrstuvwx', fingerprint: `sha-256 ${'AB:'.repeat(31)}AB` }

function published(client: string, index: number, isStereo = false): Codec {
  const result = readDescription(recordedSdp(client))
  const section = result.ok ? result.description.sections[index] : undefined
  const accepted = section && acceptSection(section, { isStereo, video: ['video/h264', 'video/vp8'] })
  if (!accepted) throw new Error('nothing accepted')
  return accepted.codec
}

function audio(id: string, ssrc: number): OfferedTrack {
  const codec = viewerCodec(published('chromium-publisher', 0))
  return { ...codec, kind: 'audio', msid: { stream: `PA_a|${id}`, track: id }, ssrc, repairSsrc: null }
}

function video(id: string, ssrc: number): OfferedTrack {
  const codec = viewerCodec(published('firefox-publisher', 1))
  return { ...codec, kind: 'video', msid: { stream: `PA_a|${id}`, track: id }, ssrc, repairSsrc: ssrc + 1 }
}

const offer = (sections: readonly OfferedSection[]): string =>
  writeOffer({ local, candidates: [], sections, version: 1 })

describe('writeOffer', () => {
  it('holds the data section even without tracks', () => {
    const sdp = offer([])
    expect(sdp).toContain('a=group:BUNDLE 0\r\n')
    expect(sdp).toContain('m=application 9 UDP/DTLS/SCTP webrtc-datachannel')
    expect(sdp).toContain('a=setup:actpass')
  })

  it('sends each track in a section of its own, named for the owner and the track', () => {
    const sections = createOfferedSections()
    sections.add(audio('TR_1', 5))
    sections.add(video('TR_2', 7))
    const sdp = offer(sections.list())
    expect(sdp).toContain('a=group:BUNDLE 0 1 2\r\n')
    expect(sdp).toContain('a=msid:PA_a|TR_1 TR_1\r\na=ssrc:5 cname:PA_a|TR_1\r\n')
    expect(sdp).toContain('a=ssrc-group:FID 7 8\r\n')
    expect(sdp).toContain('m=audio 9 UDP/TLS/RTP/SAVPF 63 111\r\n')
    expect(sdp).toContain('a=rtpmap:63 red/48000/2\r\na=fmtp:63 111/111\r\na=rtpmap:111 opus/48000/2\r\n')
    expect(sdp).toMatch(/m=video 9 UDP\/TLS\/RTP\/SAVPF 96 97\r\n/)
    expect(sdp).toContain('a=fmtp:97 apt=96')
    const result = readDescription(sdp)
    for (const section of result.ok ? result.description.sections.slice(1) : []) {
      expect(findExtensions(section.extensions, ['transportCc'])).toEqual({ transportCc: 3 })
      expect(section.codecs.some(({ feedback }) => feedback.includes('transport-cc'))).toBe(true)
    }
    expect(result.ok && result.description.sections.map(({ direction }) => direction)).toEqual([
      'sendrecv',
      'sendonly',
      'sendonly',
    ])
  })
})

describe('createOfferedSections', () => {
  it('uses an inactive section again for the same kind, once the viewer knows that it is inactive', () => {
    const sections = createOfferedSections()
    expect(sections.add(audio('TR_1', 1))).toBe('1')
    expect(sections.add(video('TR_2', 2))).toBe('2')
    sections.answered(sections.list())
    sections.remove('TR_1')
    const offered = sections.list()
    expect(offered[0]?.track).toBeNull()
    expect(sections.add(audio('TR_3', 3))).toBe('3')
    sections.answered(offered)
    expect(sections.add(video('TR_4', 4))).toBe('4')
    expect(sections.add(audio('TR_5', 5))).toBe('1')
    expect(sections.trackIds()).toEqual({ 1: 'TR_5', 2: 'TR_2', 3: 'TR_3', 4: 'TR_4' })
  })

  it('does not free a section that was taken before the answer came', () => {
    const sections = createOfferedSections()
    sections.add(audio('TR_1', 1))
    sections.remove('TR_1')
    const offered = sections.list()
    sections.answered(offered)
    expect(sections.add(audio('TR_2', 2))).toBe('1')
    sections.answered(offered)
    expect(sections.add(audio('TR_3', 3))).toBe('2')
  })

  it('keeps the place of a section that the viewer rejected, and gives it to another track under a new mid', () => {
    const sections = createOfferedSections()
    sections.add(video('TR_1', 1))
    const offered = sections.list()
    const answer = readDescription(offer(offered).replace('m=video 9', 'm=video 0'))
    if (!answer.ok) throw new Error(answer.problem)
    sections.answered(offered, answer.description)
    expect(sections.trackIds()).toEqual({})
    expect(offer(sections.list())).toContain('a=group:BUNDLE 0\r\n')
    expect(offer(sections.list())).toMatch(/m=video 0 .*\r\nc=.*\r\na=mid:1\r\n/)
    sections.answered(sections.list(), answer.description)
    expect(sections.add(audio('TR_2', 2))).toBe('2')
    expect(sections.list()).toHaveLength(1)
  })

  it('grows only to the highest number of tracks at a time', () => {
    const sections = createOfferedSections()
    for (let round = 0; round < 200; round++) {
      sections.add(audio(`TR_${round}`, round + 1))
      sections.remove(`TR_${round}`)
      sections.answered(sections.list())
    }
    expect(sections.list()).toHaveLength(1)
    expect(sections.list()[0]?.mid).toBe('1')
  })

  it('does not grow while a viewer answers nothing, however many tracks come and go', () => {
    const sections = createOfferedSections()
    sections.add(audio('TR_0', 1))
    sections.list()
    sections.remove('TR_0')
    for (let round = 1; round < 200; round++) {
      sections.add(audio(`TR_${round}`, round + 1))
      sections.remove(`TR_${round}`)
    }
    expect(sections.list().map(({ mid }) => mid)).toEqual(['1', '2'])
  })
})

describe('viewerCodec', () => {
  it('gives one payload type one meaning', () => {
    expect(viewerCodec(published('pion-whip', 0)).codec.payloadType).toBe(102)
    const high = { ...published('pion-whip', 0), parameters: new Map([['profile-level-id', '640032']]) }
    expect(viewerCodec(high)).toMatchObject({ codec: { payloadType: 108 }, repairPayloadType: 109 })
    expect(viewerCodec(high).codec.parameters.get('profile-level-id')).toBe('64001f')
  })

  it('announces stereo to viewers', () => {
    expect(viewerCodec(published('obs-whip', 0, true)).codec.parameters.get('sprop-stereo')).toBe('1')
  })
})
