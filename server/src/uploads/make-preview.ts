import type { Readable } from 'node:stream'
import type { Services } from '../operations/services.ts'
import type { MadePicture } from '../pictures/picture-job.ts'
import { makeInProcess } from '../pictures/picture-processes.ts'

/** Larger files are in memory as a whole while they are decoded, so they get no preview. */
const LARGEST = 32 * 1024 * 1024
const PREVIEWED = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export interface Previewed {
  readonly type: string
  readonly size: number
  readonly personId: string
}

/**
 * A picture as WebP of at most 1,200 pixels, without its metadata. Undefined if there is nothing to show: another kind of file,
 * a picture that is damaged or too large to decode, or a machine without the image library.
 */
export async function makePreview(
  services: Pick<Services, 'log'>,
  { type, size, personId }: Previewed,
  open: () => Promise<Readable>,
): Promise<MadePicture | undefined> {
  if (!PREVIEWED.has(type) || size > LARGEST) return undefined
  const made = await makeInProcess(services, { kind: 'preview', size, open, personId })
  return 'failure' in made ? undefined : made
}
