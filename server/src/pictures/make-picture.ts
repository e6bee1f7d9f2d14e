import { LIMITS } from '@portico/contract'
import type { Sharp } from 'sharp'
import { Refusal, cannot, wrongField } from '../operations/refusal.ts'
import { Semaphore } from '../operations/semaphore.ts'
import { loadSharp } from './load-sharp.ts'

/** Decoding takes processor time and memory from everything else: few at once, and nobody waits behind a crowd. */
const decoding = new Semaphore({ atOnce: 2, queueLength: 16 })

/**
 * What a person sent, made anew: the middle square as WebP. Nothing of the file itself is kept, so neither the place
 * where a photograph was taken nor anything that only looks like a picture comes through.
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

/** Told by the first bytes of the file, before anything is unpacked. */
async function refuseTooLarge(image: Sharp): Promise<void> {
  const { width, height } = await image.metadata().catch((): never => {
    throw notAPicture()
  })
  if (width * height > LIMITS.picturePixels) {
    throw wrongField('picture', `must be at most ${LIMITS.picturePixels / 1e6} megapixels`, 'too_many_pixels')
  }
}

/** The library has no code for it. */
function tookTooLong(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('timeout:')
}

function notAPicture(): Refusal {
  return wrongField('picture', 'must be a whole PNG, JPEG, WebP or GIF file', 'not_a_picture')
}
