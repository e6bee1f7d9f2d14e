import { Readable } from 'node:stream'
import { LIMITS } from '@portico/contract'
import { cannot, wrongField, type Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { PictureFailure } from './picture-job.ts'
import { makeInProcess } from './picture-processes.ts'

/** The picture of an account, a bot or a channel: WebP, cropped to the middle square. */
export async function makePicture(services: Pick<Services, 'log'>, personId: string, file: Buffer): Promise<Buffer> {
  const open = async () => Readable.from(file, { objectMode: false })
  const made = await makeInProcess(services, { kind: 'square', size: file.length, open, personId })
  if ('failure' in made) throw refusalOf(made.failure)
  return Buffer.from(made.webp)
}

function refusalOf(failure: PictureFailure): Refusal {
  if (failure === 'damaged') {
    return wrongField('picture', 'must be a whole PNG, JPEG, WebP or GIF file', 'not_a_picture')
  }
  if (failure === 'too_large') {
    const most = `${LIMITS.picturePixels / 1e6} megapixels, fewer if it is interlaced or progressive`
    return wrongField('picture', `must be at most ${most}`, 'too_many_pixels')
  }
  return cannot('Picture uploads aren’t available: the image library is missing.', 'pictures_unavailable')
}
