import { LIMITS } from '@portico/contract'
import type { FastifyError, FastifyInstance } from 'fastify'
import type { Actor } from '../actor.ts'
import type { Parts } from '../parts.ts'
import { makePicture } from '../pictures/make-picture.ts'
import { Refusal, wrongField } from '../refusal.ts'

/** On the routes of this scope a body is the file of a picture, and nothing else. What it really is, is looked at later. */
export function takePictures(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    /^image\/[\w.+-]+$/,
    { parseAs: 'buffer', bodyLimit: LIMITS.pictureBytes },
    (_request, body, done) => done(null, body),
  )
  scope.setErrorHandler((error: FastifyError) => {
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') throw tooLarge()
    if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
      throw wrongField('content-type', 'must be that of a picture, such as image/png', 'not_a_picture')
    }
    throw error
  })
}

export async function receivePicture({ quotas }: Parts, actor: Actor, body: unknown): Promise<Buffer> {
  if (!Buffer.isBuffer(body) || body.length === 0) throw wrongField('picture', 'must be given')
  if (actor.kind !== 'person') throw new Refusal('unauthorized')
  const taken = await quotas.take(`pictures of ${actor.id}`, LIMITS.picturesPerMinute)
  if ('retryAfterSec' in taken) throw new Refusal('tooManyRequests', taken)
  return makePicture(body)
}

function tooLarge(): Refusal {
  return wrongField('picture', `must be at most ${LIMITS.pictureBytes / 1024 ** 2} MiB`, 'picture_too_large')
}
