import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'
import { answerNotFound } from './allowed-methods.ts'

/**
 * Faults of the storage that mean "not in time, repeat the request": the statement was cancelled, it was the one of a
 * deadlock that had to give way, or no connection could be had.
 */
const TIMEOUTS = new Set([
  '40001',
  '40P01',
  '57014',
  '55P03',
  '25P03',
  '57P01',
  '57P03',
  '08001',
  '08003',
  '08006',
  'ECONNREFUSED',
])

export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = toRefusal(error, request)
    // What was sent to an address that leads nowhere is nobody's to judge.
    if (request.is404 && refusal.status < 500) answerNotFound(request, reply)
    else answer(refusal, reply)
  })
  // Node would answer an expectation that it does not know with 417. It may be ignored instead.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
}

export function answer(refusal: Refusal, reply: FastifyReply): FastifyReply {
  if (refusal.details.retryAfterSec) void reply.header('retry-after', refusal.details.retryAfterSec)
  return reply.code(refusal.status).type('application/json; charset=utf-8').send(JSON.stringify(refusal.body()))
}

/** Whether the same request may succeed later: storage did not answer in time, or no connection was free. */
export function isStorageTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string' && TIMEOUTS.has(error.code)) return true
  return error.message.includes('timeout exceeded when trying to connect')
}

function toRefusal(error: unknown, request: FastifyRequest): Refusal {
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
  if (isStorageTimeout(error)) {
    request.log.error({ reqId: request.id, err: error }, 'storage did not answer in time')
    return new Refusal('timeout')
  }
  request.log.error({ reqId: request.id, err: error }, 'a fault of ours')
  return new Refusal('fault')
}
