import { crc32, createDeflate, constants } from 'node:zlib'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import sharp from 'sharp'

/** Adam7: where each pass starts, and its steps. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const
const WHOLE = [[0, 0, 1, 1]] as const
/** In bytes: red, green, blue and alpha of 16 bits each. */
const PIXEL = 8

/** A transparent PNG with 16 bits per sample: a few hundred kilobytes that decode to eight bytes for each pixel. */
export async function hugePng(width: number, height: number, { interlaced }: { interlaced: boolean }): Promise<Buffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([16, 6, 0, 0, interlaced ? 1 : 0], 8)
  let length = 0
  for (const [x, y, across, down] of interlaced ? PASSES : WHOLE) {
    const columns = Math.ceil((width - x) / across)
    const rows = Math.ceil((height - y) / down)
    if (columns > 0 && rows > 0) length += rows * (1 + columns * PIXEL)
  }
  const deflate = createDeflate({ level: constants.Z_BEST_SPEED })
  const pixels = await buffer(Readable.from(zeros(length), { objectMode: false }).pipe(deflate))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

function* zeros(length: number): Generator<Buffer> {
  const block = Buffer.alloc(1024 ** 2)
  for (let left = length; left > 0; left -= block.length) yield block.subarray(0, Math.min(left, block.length))
}

function chunk(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(content.length)
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([head, body, sum])
}

const SIDE = 6320
const PLAIN = { width: SIDE, height: SIDE, background: { r: 200, g: 20, b: 30, alpha: 0.5 } }

/** Small files of just under 40 megapixels, each of which takes hundreds of megabytes to decode. */
export async function hostilePictures(): Promise<Record<string, Buffer>> {
  const opaque = { create: { ...PLAIN, channels: 3 as const } }
  return {
    'interlaced PNG': await hugePng(SIDE, SIDE, { interlaced: true }),
    'wide PNG': await hugePng(40_000, 990, { interlaced: false }),
    'progressive JPEG': await sharp(opaque).jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer(),
    'progressive CMYK JPEG': await sharp(opaque)
      .toColourspace('cmyk')
      .jpeg({ progressive: true, chromaSubsampling: '4:4:4' })
      .toBuffer(),
    WebP: await sharp({ create: { ...PLAIN, channels: 4 } })
      .webp({ effort: 0 })
      .toBuffer(),
    GIF: await sharp(opaque).gif({ effort: 1, colors: 2 }).toBuffer(),
  }
}
