import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, preParsingHookHandler, preValidationHookHandler } from 'fastify'
import { Deadline, withDeadline } from '../db/deadline.ts'
import { Refusal } from '../operations/refusal.ts'
import { answer } from './answer-errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    deadline: Deadline
  }
}

/** How long, in milliseconds, work that hit the deadline may take to answer itself. */
const ANSWER_WITHIN = 200
const LOOK_EVERY = 100
/** How long, in milliseconds, a process that was suspended may take to read and answer what has arrived meanwhile. */
const CATCH_UP = 1000

/**
 * Gives every request a deadline, which all its work can read, and answers requests that miss it. The time for receiving
 * the body doesn't count.
 */
export function requestDeadlines(app: FastifyInstance): void {
  const open = new Set<FastifyReply>()
  app.decorateRequest('deadline')
  app.addHook('onRequest', (request, reply, done) => {
    request.deadline = new Deadline()
    open.add(reply)
    withDeadline(request.deadline, done)
  })
  // Only for requests with a body: the hooks cost as much as a small response.
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().every((method) => method === 'GET' || method === 'HEAD')) return
    route.preParsing = [pause, route.preParsing ?? []].flat()
    route.preValidation = [resume, route.preValidation ?? []].flat()
  })
  // An answer that is being prepared isn't replaced: status and body would be of two answers.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    open.delete(reply)
    done()
  })
  // Without a response, there is nothing to send.
  app.addHook('onResponse', (_request, reply, done) => {
    open.delete(reply)
    done()
  })

  let lookedAt = performance.now()
  let caughtUpAt: number | undefined
  const look = setInterval(() => {
    const sinceLook = performance.now() - lookedAt
    lookedAt += sinceLook
    // The process was suspended or busy. What has arrived meanwhile comes first: it may be the answer to a commit.
    // One that is busy again and again gets no further time, but one that was busy may be suspended as well.
    if (sinceLook > CATCH_UP) caughtUpAt = lookedAt + CATCH_UP
    else if (sinceLook > ANSWER_WITHIN) caughtUpAt ??= lookedAt + CATCH_UP
    if (caughtUpAt !== undefined && lookedAt < caughtUpAt) return
    caughtUpAt = undefined
    for (const reply of open) {
      if (!reply.request.deadline.isOverBy(ANSWER_WITHIN)) continue
      open.delete(reply)
      answerLate(reply)
    }
  }, LOOK_EVERY)
  app.addHook('onClose', async () => clearInterval(look))
}

const pause: preParsingHookHandler = (request, _reply, payload, done) => {
  request.deadline.pause()
  done(null, payload)
}

const resume: preValidationHookHandler = (request, _reply, done) => {
  request.deadline.resume()
  // The body's end event runs in the connection's async context, not in the request's.
  withDeadline(request.deadline, done)
}

/**
 * While the response is prepared, the request may still end: that must change neither its status nor its body. A file that it would
 * send is closed; Node ends a process that leaves this to the garbage collector.
 */
function seal(reply: FastifyReply): void {
  const send = (content?: unknown): FastifyReply => {
    if (content instanceof Readable) content.destroy()
    return reply
  }
  Object.assign(reply, { code: () => reply, send })
}

function answerLate(reply: FastifyReply): void {
  const { request, raw } = reply
  if (raw.headersSent) return
  request.log.error({ reqId: request.id }, 'request deadline exceeded')
  const refusal = new Refusal('timeout')
  if (!reply.sent) {
    void answer(refusal, reply)
    seal(reply)
    return
  }
  // The sign-in provider writes the response itself.
  raw.writeHead(refusal.status, { 'content-type': 'application/json; charset=utf-8' })
  raw.end(JSON.stringify(refusal.body()))
}
