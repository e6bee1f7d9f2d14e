import { describe, expect, test } from 'vitest'
import { Track } from './track.ts'

const track = new Track([
  { from: 10, verdict: 'no' },
  { from: 20, verdict: 'yes' },
  { from: 25, verdict: 'yes' },
  { from: 30, verdict: 'unsure' },
  { from: 40, verdict: 'yes' },
])

describe('a track', () => {
  test('has a verdict for a span only if it is the same during all of it', () => {
    expect(track.during({ from: 11, to: 19 })).toBe('no')
    expect(track.during({ from: 11, to: 20 })).toBe('unsure')
    expect(track.during({ from: 21, to: 29 })).toBe('yes')
    expect(track.during({ from: 21, to: 30 })).toBe('unsure')
    expect(track.during({ from: 41, to: Infinity })).toBe('yes')
  })

  test('knows nothing about the time before it begins, or without any state', () => {
    expect(track.during({ from: 0, to: 9 })).toBe('unsure')
    expect(new Track([]).during({ from: 0, to: 9 })).toBe('unsure')
  })

  test('says until when the answer is certainly yes', () => {
    expect(track.holdsUntil(21)).toBe(30)
    expect(track.holdsUntil(41)).toBe(Infinity)
    expect(track.holdsUntil(15)).toBeLessThanOrEqual(15)
  })
})
