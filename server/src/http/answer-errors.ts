import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Disk } from '../db/disk.ts'
import { FilesUnavailable } from '../files/files.ts'
import { isAfterClose, isDiskFull, isUnavailable } from '../db/violations.ts'
import { OutcomeUnknown } from '../db/outcome-unknown.ts'
import { Refusal } from '../operations/refusal.ts'
import { answerNotFound } from './allowed-methods.ts'

export function answerErrors(app: FastifyInstance, disk: Disk): void {
  app.setErrorHandler((error: FastifyError | OutcomeUnknown, request, reply) => {
    // Any answer could be untrue. Without one, clients know that they don’t know.
    if (error instanceof OutcomeUnknown) {
      request.log.error({ reqId: request.id, err: error }, 'a commit was interrupted; its request gets no response')
      reply.hijack()
      reply.raw.destroy()
      return
    }
    const refusal = toRefusal(error, request, disk)
    // An unknown path is 404, whatever its body.
    if (request.is404 && refusal.status < 500) answerNotFound(request, reply)
    else answer(refusal, reply)
  })
  // Node would answer an unknown expectation with 417. It may be ignored instead.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
}

export function answer(refusal: Refusal, reply: FastifyReply): FastifyReply {
  if (refusal.details.retryAfterSec) void reply.header('retry-after', refusal.details.retryAfterSec)
  return reply.code(refusal.status).type('application/json; charset=utf-8').send(JSON.stringify(refusal.body()))
}

function toRefusal(error: unknown, request: FastifyRequest, disk: Disk): Refusal {
  if (error instanceof Refusal) return error
  const { code, statusCode } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Refusal('badRequest', { field: 'body', message: 'body: must be at most 256 KiB' })
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Refusal('badRequest', {
      field: 'content-type',
      message: 'content-type: a request with a body must be application/json',
    })
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new Refusal('badRequest')
  if (error instanceof FilesUnavailable) {
    return new Refusal('timeout', {
      message: 'Files aren’t available right now; try again later.',
      reason: 'files_unavailable',
    })
  }
  if (isDiskFull(error)) {
    disk.noteFull()
    request.log.error({ reqId: request.id, err: error }, 'the disk is full')
    return new Refusal('timeout', { message: 'Nothing can be stored: the portal’s disk is full.' })
  }
  if (isAfterClose(error)) {
    request.log.info({ reqId: request.id }, 'the server stopped before the request was answered')
    return new Refusal('timeout')
  }
  if (isUnavailable(error)) {
    request.log.error({ reqId: request.id, err: error }, 'the database did not respond in time')
    return new Refusal('timeout')
  }
  request.log.error({ reqId: request.id, err: error }, 'internal error')
  return new Refusal('internalError')
}
