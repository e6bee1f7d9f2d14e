import { describe, expect, it } from 'vitest'
import { PacketRing } from './packet-ring.ts'

const packet = (extended: number) => ({
  extended,
  timestamp: 0,
  isMarked: false,
  payload: Buffer.alloc(100, extended),
  isEntryPoint: false,
  vp8: null,
})

describe('PacketRing', () => {
  it.each([
    ['the highest layer', 0, 512],
    ['the one below', 1, 256],
    ['the lowest', 2, 128],
    ['any below that', 5, 128],
  ])('keeps the latest packets of %s', (_name, layersAbove, size) => {
    const ring = new PacketRing(layersAbove)
    for (let extended = 0; extended < 1000; extended += 1) ring.put(packet(extended))
    expect(ring.get(1000 - size - 1)).toBeUndefined()
    expect(ring.get(1000 - size)).toMatchObject({ extended: 1000 - size, size: 100 })
    expect(ring.get(999)).toMatchObject({ extended: 999 })
  })
})
