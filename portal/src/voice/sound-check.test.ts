import { describe, expect, test } from 'vitest'
import { readPath, type Reading, type Statistics } from './media-path.ts'
import { judgeSound, type SoundFacts } from './sound-check.ts'

const PATH = { kind: 'udp', port: 7882, roundTripMs: 40, lostFromHere: 0, lostToHere: 0.01, sent: 200 } as const
const FACTS: SoundFacts = {
  state: 'connected',
  canPublish: true,
  microphone: { name: 'Headset', muted: false, inputMode: 'always', threshold: -50, loudest: -30 },
  speaker: { name: 'Headset', deafened: false, blocked: false, silenced: [] },
  path: PATH,
}

/** What is said about a topic. */
function judged(topic: string, part: Partial<SoundFacts> = {}): string {
  const { grade, text } = judgeSound({ ...FACTS, ...part }).find((finding) => finding.topic === topic)!
  return `${grade}: ${text}`
}

const microphone = (part: Partial<SoundFacts['microphone']>) => ({ microphone: { ...FACTS.microphone, ...part } })
const speaker = (part: Partial<SoundFacts['speaker']>) => ({ speaker: { ...FACTS.speaker, ...part } })
const path = (part: object) => ({ path: { ...PATH, ...part } })

describe('judgeSound', () => {
  test('finds nothing wrong where nothing is', () => {
    expect(judgeSound(FACTS).map(({ grade }) => grade)).toEqual(['ok', 'ok', 'ok', 'ok'])
  })

  test.each<[string, Partial<SoundFacts>]>([
    ['warn: You can only listen here', { canPublish: false }],
    ['bad: No microphone found', microphone({ problem: 'absent', loudest: undefined })],
    ['bad: Nothing comes from “Headset”', microphone({ loudest: -100 })],
    ['bad: Nothing comes from “Headset”', microphone({ loudest: -100, muted: true })],
    ['bad: Your microphone is muted', microphone({ muted: true })],
    ['warn: “Headset” is very quiet', microphone({ loudest: -60 })],
    ['warn: “Headset” is so loud', microphone({ loudest: -3 })],
    ['bad: You spoke too quietly', microphone({ inputMode: 'activity', threshold: -20 })],
    ['warn: Push to talk is on', microphone({ inputMode: 'push' })],
    ['bad: Your sound doesn’t leave this browser', path({ sent: 0 })],
    ['ok: “Headset” works', microphone({ loudest: undefined })],
  ])('says of a microphone “%s”', (expected, part) => {
    expect(judged('microphone', part)).toContain(expected)
  })

  test.each<[string, Partial<SoundFacts>]>([
    ['bad: You’ve turned off this room’s sound', speaker({ deafened: true })],
    ['bad: Your browser blocked the sound', speaker({ blocked: true, deafened: true })],
    ['warn: You’ve muted Ada, Bob for yourself', speaker({ silenced: ['Ada', 'Bob'] })],
  ])('says of a speaker “%s”', (expected, part) => {
    expect(judged('speaker', part)).toContain(expected)
  })

  test.each<[string, Partial<SoundFacts>]>([
    ['bad: This portal has no media server', { state: 'none' }],
    ['bad: There’s no connection', { state: 'reconnecting' }],
    ['warn: You’re connected over TCP', path({ kind: 'tcp' })],
    ['allow UDP to port 7882', path({ kind: 'tcp' })],
    ['ok: You’re connected through a relay', path({ kind: 'relay' })],
    ['ok: You’re connected', { path: undefined }],
  ])('says of a connection “%s”', (expected, part) => {
    expect(judged('connection', part)).toContain(expected)
  })

  test.each<[string, object]>([
    ['ok: Round trip 40 ms. Lost on the way: 0% of what you send, 1% of what you get.', {}],
    ['warn: Round trip 40 ms. Lost on the way: 5%', { lostFromHere: 0.05 }],
    ['That makes sound choppy', { lostToHere: 0.03 }],
    ['bad: Round trip 40 ms.', { lostToHere: 0.2 }],
    ['That makes people talk over each other', { roundTripMs: 300 }],
    ['bad: Round trip 900 ms', { roundTripMs: 900 }],
  ])('says of a network “%s”', (expected, part) => {
    expect(judged('network', path(part))).toContain(expected)
  })

  test('says nothing of the network without a connection', () => {
    expect(judgeSound({ ...FACTS, state: 'failed' }).map(({ topic }) => topic)).toEqual([
      'microphone',
      'speaker',
      'connection',
    ])
  })
})

type Entry = Statistics extends ReadonlyMap<string, infer E> ? E : never

function statistics(...entries: Entry[]): Statistics {
  return new Map(entries.map((entry) => [entry.id, entry]))
}

function reading(protocol: string, counts: { lost: number; received: number; sent: number }, more = {}): Reading {
  const pair = { localCandidateId: 'L', remoteCandidateId: 'R', currentRoundTripTime: 0.042 }
  const candidates = [
    { id: 'L', type: 'local-candidate', protocol, candidateType: 'host', ...more },
    { id: 'R', type: 'remote-candidate', port: 7882 },
  ]
  return {
    sending: statistics(
      { id: 'T', type: 'transport', selectedCandidatePairId: 'P' },
      { id: 'P', type: 'candidate-pair', ...pair },
      ...candidates,
      { id: 'O', type: 'outbound-rtp', kind: 'audio', packetsSent: counts.sent },
      { id: 'V', type: 'outbound-rtp', kind: 'video', packetsSent: 9999 },
      { id: 'M', type: 'remote-inbound-rtp', kind: 'audio', fractionLost: 0.04 },
    ),
    receiving: statistics({ id: 'F', type: 'candidate-pair', ...pair, nominated: true }, ...candidates, {
      id: 'I',
      type: 'inbound-rtp',
      kind: 'audio',
      packetsLost: counts.lost,
      packetsReceived: counts.received,
    }),
  }
}

describe('readPath', () => {
  const before = reading('udp', { lost: 10, received: 100, sent: 100 })

  test('reads how sound travels, and what was lost in between', () => {
    const after = reading('udp', { lost: 20, received: 190, sent: 300 })
    expect(readPath(before, after)).toEqual({
      kind: 'udp',
      port: 7882,
      roundTripMs: 42,
      lostFromHere: 0.04,
      lostToHere: 0.1,
      sent: 200,
    })
  })

  test('knows TCP and relays, also where a browser has no transports and nothing is sent', () => {
    const after = (protocol: string, more = {}) => ({
      sending: undefined,
      receiving: reading(protocol, { lost: 0, received: 0, sent: 0 }, more).receiving,
    })
    expect(readPath(before, after('tcp'))).toMatchObject({ kind: 'tcp', port: 7882, lostFromHere: undefined })
    expect(readPath(before, after('udp', { candidateType: 'relay' })).kind).toBe('relay')
    expect(readPath(before, { sending: undefined, receiving: undefined }).kind).toBe('unknown')
  })
})
