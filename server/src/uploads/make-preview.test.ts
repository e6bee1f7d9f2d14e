import { Readable } from 'node:stream'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { hugePng } from '../../test/hostile-pictures.ts'
import { silentLog } from '../../test/silent-log.ts'
import type { MadePicture } from '../pictures/picture-job.ts'
import { makePreview } from './make-preview.ts'
import { sniffType } from './sniff-type.ts'

const RED = { r: 200, g: 20, b: 30 }
const BLUE = { r: 20, g: 30, b: 200 }
const NOISE = { type: 'gaussian' as const, mean: 128, sigma: 60 }

function preview(content: Buffer, personId = 'ada'): Promise<MadePicture | undefined> {
  const file = { type: sniffType(content), size: content.length, personId }
  return makePreview({ log: silentLog }, file, async () => Readable.from(content, { objectMode: false }))
}

function plain(width: number, height: number, background = RED) {
  return sharp({ create: { width, height, channels: 3, background } })
}

async function frames(number: number, side: number): Promise<Buffer[]> {
  return Promise.all(
    Array.from({ length: number }, (_, index) =>
      plain(side, side, index % 2 ? BLUE : RED)
        .png()
        .toBuffer(),
    ),
  )
}

describe('makePreview', () => {
  test.each(['png', 'jpeg', 'webp', 'gif'] as const)('shows a %s, and keeps its proportions', async (format) => {
    const made = await preview(await plain(3000, 1000).toFormat(format).toBuffer())
    expect(made).toMatchObject({ width: 3000, height: 1000 })
    expect(await sharp(made?.webp).metadata()).toMatchObject({ format: 'webp', width: 1200, height: 400 })
  })

  test('enlarges nothing', async () => {
    const made = await preview(await plain(40, 30).png().toBuffer())
    expect(await sharp(made?.webp).metadata()).toMatchObject({ width: 40, height: 30 })
  })

  test('applies the orientation of a photo', async () => {
    const made = await preview(await plain(80, 40).jpeg().withMetadata({ orientation: 6 }).toBuffer())
    expect(made).toMatchObject({ width: 40, height: 80 })
    const { width, height, orientation } = await sharp(made?.webp).metadata()
    expect({ width, height, orientation }).toEqual({ width: 40, height: 80, orientation: undefined })
  })

  test.each(['gif', 'webp'] as const)('keeps an animated %s animated', async (format) => {
    const animation = await sharp(await frames(3, 64), { join: { animated: true } })
      .toFormat(format)
      .toBuffer()
    const made = await preview(animation)
    expect(made).toMatchObject({ width: 64, height: 64 })
    expect((await sharp(made?.webp).metadata()).pages).toBe(3)
  })

  test('shows the first frame of an animation with too many pixels', async () => {
    const animation = await sharp(await frames(11, 2000), { join: { animated: true } })
      .gif({ effort: 1, colors: 2 })
      .toBuffer()
    const made = await preview(animation)
    expect(made).toMatchObject({ width: 2000, height: 2000 })
    expect((await sharp(made?.webp).metadata()).pages).toBeUndefined()
  })

  test('shows nothing of a decompression bomb', async () => {
    const bomb = await plain(7000, 7000).greyscale().png().toBuffer()
    expect(bomb.length).toBeLessThan(1024 ** 2)
    expect(await preview(bomb)).toBeUndefined()
  })

  test('shows nothing of a picture that takes too much memory, and goes on with the next one', async () => {
    const small = await plain(40, 30).png().toBuffer()
    // What an interlaced picture takes is known from its header; what a wide one takes only when it is decoded.
    const hostile = [await hugePng(6320, 6320, { interlaced: true }), await hugePng(40_000, 990, { interlaced: false })]
    for (const bomb of hostile) {
      expect(bomb.length).toBeLessThan(2 * 1024 ** 2)
      const made = await Promise.all([preview(bomb), preview(small), preview(small, 'ben')])
      expect(made).toEqual([undefined, expect.objectContaining({ width: 40 }), expect.objectContaining({ width: 40 })])
    }
  })

  test('shows nothing of files that are damaged or no pictures', async () => {
    const noise = sharp({ create: { width: 90, height: 90, channels: 3, background: RED, noise: NOISE } })
    const png = await noise.clone().png().toBuffer()
    const jpeg = await noise.clone().jpeg().toBuffer()
    const files = {
      'a PNG that was cut off': png.subarray(0, png.length / 2),
      'a JPEG that was cut off': jpeg.subarray(0, jpeg.length / 2),
      'the head of a PNG': png.subarray(0, 40),
      'a PNG with zeros': Buffer.concat([png.subarray(0, 200), Buffer.alloc(png.length - 200)]),
      'an SVG': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
      'an AVIF': await noise.clone().avif().toBuffer(),
      text: Buffer.from('no picture'),
    }
    for (const [what, file] of Object.entries(files)) expect(await preview(file), what).toBeUndefined()
  })
})
