import { LIMITS } from '@portico/contract'
import type { Metadata, Sharp, SharpOptions } from 'sharp'
import { loadSharp } from './load-sharp.ts'
import type { PictureJob, PictureKind, PictureOutcome } from './picture-job.ts'

/** An animation whose preview would be larger is shown as its first frame. */
const LARGEST_ANIMATION = 4 * 1024 * 1024

/**
 * Re-encodes a picture as WebP. Nothing of the original file is kept, so neither location metadata nor a file that only looks
 * like a picture gets through. Runs in a process of its own, which may end while it decodes.
 */
export async function decodePicture(content: Buffer, { kind, memory }: PictureJob): Promise<PictureOutcome> {
  const sharp = await loadSharp().catch(() => undefined)
  if (!sharp) return { failure: 'unavailable' }
  // Only the header is read here.
  const found = await sharp(content, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined)
  if (!found) return { failure: 'damaged' }
  const { width, height } = found.autoOrient
  if (width * height > LIMITS.picturePixels || heldBytes(found) > memory) return { failure: 'too_large' }
  const open = (options: SharpOptions): Sharp =>
    sharp(content, { failOn: 'error', limitInputPixels: LIMITS.picturePixels, sequentialRead: true, ...options })
  const isAnimated = kind === 'preview' && (found.pages ?? 1) > 1
  const webp = (isAnimated && (await animated(open))) || (await encode(open({}), kind))
  return webp ? { webp, width, height } : { failure: 'damaged' }
}

/**
 * What is in memory as a whole while it is decoded: the picture, or the coefficients of a progressive JPEG, which have two bytes
 * each. Other pictures are decoded line by line; what that takes isn't in their header.
 */
function heldBytes({ format, width, height, channels, depth, isProgressive }: Metadata): number {
  if (!isProgressive && format !== 'gif') return 0
  return width * height * channels * (format === 'jpeg' || depth === 'ushort' ? 2 : 1)
}

/** All frames together count against the limit of pixels. */
async function animated(open: (options: SharpOptions) => Sharp): Promise<Buffer | undefined> {
  const webp = await encode(open({ animated: true }), 'preview')
  return webp && webp.length <= LARGEST_ANIMATION ? webp : undefined
}

/** sharp has no codes for its errors: a picture that can't be decoded in full is damaged. */
function encode(picture: Sharp, kind: PictureKind): Promise<Buffer | undefined> {
  const upright = picture.autoOrient()
  const { pictureSide, previewSide } = LIMITS
  const encoded =
    kind === 'square'
      ? upright.resize(pictureSide, pictureSide, { fit: 'cover' }).webp({ quality: 85 })
      : upright
          .resize({ width: previewSide, height: previewSide, fit: 'inside', withoutEnlargement: true })
          .webp({ quality: 80, effort: 3 })
  return encoded.toBuffer().catch(() => undefined)
}
