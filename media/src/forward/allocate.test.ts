import { describe, expect, it } from 'vitest'
import { allocate, type Wish } from './allocate.ts'

/** Two layers of two temporal layers each. */
const QUALITIES = [
  { layer: 0, temporal: 0, bitrate: 60 },
  { layer: 0, temporal: 1, bitrate: 100 },
  { layer: 1, temporal: 0, bitrate: 300 },
  { layer: 1, temporal: 1, bitrate: 500 },
]
const BEST = QUALITIES.length - 1
const wish = (area: number, current = BEST): Wish => ({ area, qualities: QUALITIES, current })

describe('allocate', () => {
  it('gives everyone everything if it fits', () => {
    expect(allocate(1000, [wish(1), wish(2)])).toEqual([
      { layer: 1, temporal: 1, atMost: null },
      { layer: 1, temporal: 1, atMost: null },
    ])
  })

  it('gives all pictures something before it gives the largest more, and takes pictures per second before layers', () => {
    expect(allocate(520, [wish(1), wish(2)])).toMatchObject([
      { layer: 0, temporal: 1 },
      { layer: 1, temporal: 0 },
    ])
    expect(allocate(200, [wish(1), wish(2)])).toMatchObject([
      { layer: 0, temporal: 1 },
      { layer: 0, temporal: 1 },
    ])
    expect(allocate(160, [wish(1), wish(2)])).toMatchObject([
      { layer: 0, temporal: 0 },
      { layer: 0, temporal: 1 },
    ])
  })

  it('leaves room before it gives more than now', () => {
    expect(allocate(510, [wish(1, BEST)])[0]).toMatchObject({ layer: 1, temporal: 1 })
    expect(allocate(510, [wish(1, 0)])[0]).toMatchObject({ layer: 1, temporal: 0 })
    expect(allocate(550, [wish(1, 0)])[0]).toMatchObject({ layer: 1, temporal: 1 })
  })

  it('says how much is left for the largest picture that doesn’t fit', () => {
    const flat = { qualities: [{ layer: 0, temporal: 0, bitrate: 1000 }], current: 0 }
    expect(allocate(400, [wish(3), { area: 1, ...flat }, { area: 2, ...flat }])).toEqual([
      { layer: 1, temporal: 0, atMost: null },
      { layer: 0, temporal: 0, atMost: 0 },
      { layer: 0, temporal: 0, atMost: 100 },
    ])
    expect(allocate(-50, [wish(1)])).toEqual([{ layer: 0, temporal: 0, atMost: 0 }])
  })
})
