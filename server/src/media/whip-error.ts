import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyReply } from 'fastify'

/** A refusal with a status that WHIP prescribes and no other route uses. */
export class WhipError extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.name = 'WhipError'
    this.status = status
    this.headers = headers
  }
}

/** Answers what concerns WHIP alone, and throws all other errors again for the handler of all routes. */
export function answerWhipError(error: unknown, reply: FastifyReply): FastifyReply {
  const known = error instanceof WhipError ? error : bodyError(error as Partial<FastifyError>)
  if (!known) throw error
  const { status, message, headers } = known
  return reply.code(status).headers(headers).send({ error: STATUS_CODES[status], status: 'error', message })
}

function bodyError({ code }: Partial<FastifyError>): WhipError | undefined {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new WhipError(413, 'The body is too large to be an offer.')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new WhipError(415, 'An offer is sent as application/sdp, and a change as application/trickle-ice-sdpfrag.')
  }
  return undefined
}
