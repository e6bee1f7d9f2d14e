import { LIMITS } from '@portico/contract'
import type { Sharp, SharpOptions } from 'sharp'
import { Semaphore } from '../operations/semaphore.ts'
import { loadSharp } from '../pictures/load-sharp.ts'

/** Larger files are in memory as a whole while they are decoded, so they get no preview. */
const LARGEST = 32 * 1024 * 1024
/** An animation whose preview would be larger is shown as its first frame. */
const LARGEST_ANIMATION = 4 * 1024 * 1024
/** In seconds, for each attempt. */
const DECODED_WITHIN = 10
const PREVIEWED = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Decoding costs CPU and memory. The request's deadline is paused meanwhile, so a picture can wait for many others. */
const decoding = new Semaphore({ atOnce: 2, queueLength: 100, longestWait: 60_000 })

export interface Preview {
  readonly webp: Buffer
  /** Of the picture, as it is shown. */
  readonly width: number
  readonly height: number
}

/**
 * Re-encodes a picture as WebP of at most 1,200 pixels, without its metadata. Undefined if there is nothing to show: another
 * kind of file, a picture that is damaged or too large to decode, or a machine without the image library.
 */
export async function makePreview(
  { type, size }: { readonly type: string; readonly size: number },
  read: () => Promise<Buffer>,
): Promise<Preview | undefined> {
  if (!PREVIEWED.has(type) || size > LARGEST) return undefined
  const sharp = await loadSharp().catch(() => undefined)
  if (!sharp) return undefined
  return decoding.run(async () => {
    const content = await read()
    // Only the header is read here. The limit of pixels applies before anything is decoded.
    const found = await sharp(content, { limitInputPixels: false })
      .metadata()
      .catch(() => undefined)
    if (!found) return undefined
    const { width, height } = found.autoOrient
    if (width * height > LIMITS.picturePixels) return undefined
    const open = (options: SharpOptions): Sharp =>
      sharp(content, { failOn: 'error', limitInputPixels: LIMITS.picturePixels, sequentialRead: true, ...options })
    const webp = ((found.pages ?? 1) > 1 && (await animated(open))) || (await encode(open({})))
    return webp && { webp, width, height }
  })
}

/** All frames together count against the limit of pixels. */
async function animated(open: (options: SharpOptions) => Sharp): Promise<Buffer | undefined> {
  const webp = await encode(open({ animated: true }))
  return webp && webp.length <= LARGEST_ANIMATION ? webp : undefined
}

/** sharp has no codes for its errors: what can't be decoded in time and in full has no preview. */
async function encode(picture: Sharp): Promise<Buffer | undefined> {
  const side = LIMITS.previewSide
  return picture
    .timeout({ seconds: DECODED_WITHIN })
    .autoOrient()
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 80, effort: 3 })
    .toBuffer()
    .catch(() => undefined)
}
