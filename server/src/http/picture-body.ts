import type { IncomingMessage } from 'node:http'
import { LIMITS } from '@portico/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { memberOf, type Actor } from '../operations/actor.ts'
import { storeFile } from '../files/stored-files.ts'
import type { Services } from '../operations/services.ts'
import { makePicture } from '../pictures/make-picture.ts'
import { Refusal, wrongField } from '../operations/refusal.ts'
import type { UploadSlots } from './upload-slots.ts'

/** In milliseconds: an upload without data for this long loses its slot. */
const STALLED_AFTER = 10_000

class Stalled extends Error {}

/** On the routes of this scope the body is a picture file. Its content is checked later. */
export function takePictures(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(/^image\/[\w.+-]+$/, (_request: FastifyRequest, body: IncomingMessage) =>
    readPicture(body),
  )
  scope.setErrorHandler((error: FastifyError, _request, reply) => {
    if (error instanceof Stalled) {
      void reply.header('connection', 'close')
      throw wrongField('picture', 'the upload stalled; send it again', 'upload_stalled')
    }
    if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
      throw wrongField('content-type', 'must be an image type, such as image/png', 'not_a_picture')
    }
    throw error
  })
}

/**
 * Before the body is read: takes a slot, which is freed when the request ends, and checks the quota. An upload that doesn't
 * arrive completely isn't counted.
 */
export async function beginUpload(
  services: Services,
  slots: UploadSlots,
  actor: Actor,
  reply: FastifyReply,
): Promise<void> {
  if (actor.kind !== 'person') throw new Refusal('unauthorized')
  const free = slots.take(actor.id)
  const taken = await services.quotas.take(`pictures of ${actor.id}`, LIMITS.picturesPerMinute)
  if ('retryAfterSec' in taken) {
    free()
    throw new Refusal('tooManyRequests', taken)
  }
  reply.raw.once('close', () => {
    free()
    if (!Buffer.isBuffer(reply.request.body)) taken.giveBack()
  })
}

/** Returns the name of the stored file. Unless the operation succeeds, nothing refers to it, and it expires. */
export async function receivePicture(
  services: Services,
  actor: Actor,
  { body, deadline }: FastifyRequest,
): Promise<string> {
  if (!Buffer.isBuffer(body) || body.length === 0) throw wrongField('picture', 'is required')
  deadline.pause()
  const picture = await makePicture(services, memberOf(actor).id, body).finally(() => deadline.resume())
  return storeFile(services, picture, picture.length)
}

async function readPicture(body: IncomingMessage): Promise<Buffer> {
  if (Number(body.headers['content-length'] ?? 0) > LIMITS.pictureBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    const stalled = setTimeout(() => settle(() => reject(new Stalled())), STALLED_AFTER)
    const settle = (how: () => void): void => {
      clearTimeout(stalled)
      body.off('data', onData)
      how()
    }
    const onData = (chunk: Buffer): void => {
      stalled.refresh()
      size += chunk.length
      chunks.push(chunk)
      if (size > LIMITS.pictureBytes) settle(() => reject(tooLarge()))
    }
    body.on('data', onData)
    body.once('end', () => settle(() => resolve(Buffer.concat(chunks, size))))
    body.once('error', (error) => settle(() => reject(error)))
  })
}

function tooLarge(): Refusal {
  return wrongField('picture', `must be at most ${LIMITS.pictureBytes / 1024 ** 2} MiB`, 'picture_too_large')
}
