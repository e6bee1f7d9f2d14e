import { LIMITS } from '@portico/contract'
import type { Sharp } from 'sharp'
import { Refusal, cannot, wrongField } from '../operations/refusal.ts'
import { Semaphore } from '../operations/semaphore.ts'
import { loadSharp } from './load-sharp.ts'

/** Decoding costs CPU and memory, so concurrency and the queue are limited. */
const decoding = new Semaphore({ atOnce: 2, queueLength: 16 })

/**
 * Re-encodes an upload as WebP, cropped to the middle square. Nothing of the original file is kept, so neither location
 * metadata nor a file that only looks like a picture gets through.
 */
export async function makePicture(file: Buffer): Promise<Buffer> {
  const sharp = await loadSharp().catch(() => undefined)
  if (!sharp) throw cannot('Picture uploads aren’t available: the image library is missing.', 'pictures_unavailable')
  return decoding.run(async () => {
    await refuseTooLarge(sharp(file, { limitInputPixels: false }))
    try {
      return await sharp(file, { failOn: 'error', limitInputPixels: LIMITS.picturePixels, sequentialRead: true })
        .timeout({ seconds: LIMITS.requestDeadline })
        .autoOrient()
        .resize(LIMITS.pictureSide, LIMITS.pictureSide, { fit: 'cover' })
        .webp({ quality: 85 })
        .toBuffer()
    } catch (error) {
      throw tookTooLong(error) ? new Refusal('timeout') : notAPicture()
    }
  })
}

/** Read from the header of the file, before anything is decoded. */
async function refuseTooLarge(image: Sharp): Promise<void> {
  const { width, height } = await image.metadata().catch((): never => {
    throw notAPicture()
  })
  if (width * height > LIMITS.picturePixels) {
    throw wrongField('picture', `must be at most ${LIMITS.picturePixels / 1e6} megapixels`, 'too_many_pixels')
  }
}

/** sharp has no error code for it. */
function tookTooLong(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('timeout:')
}

function notAPicture(): Refusal {
  return wrongField('picture', 'must be a whole PNG, JPEG, WebP or GIF file', 'not_a_picture')
}
