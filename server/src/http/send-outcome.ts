import { Readable } from 'node:stream'
import type { Operation } from '@portico/contract'
import type { FastifyReply, FastifySchema } from 'fastify'
import type { Outcome } from '../operations/transaction.ts'

/** What a route may answer with: the schema by which answers are written out, and nothing that is not in it. */
export function answerSchema({ output: { status, schema, orCreated, file } }: Operation): { schema?: FastifySchema } {
  if (status === 204 || file !== undefined) return {}
  return { schema: { response: { [status]: schema, ...(orCreated && { 201: schema }) } } }
}

/** Gives what the handler of the route is to return: the payload where it can, since waiting for a reply costs more. */
export function sendOutcome(reply: FastifyReply, { output }: Operation, outcome: Outcome<unknown>): unknown {
  if (output.status === 204) return reply.code(204).send()
  if (output.file !== undefined) {
    return reply
      .type('application/json; charset=utf-8')
      .header('content-disposition', `attachment; filename="${output.file}"`)
      .header('cache-control', 'no-store')
      .send(Readable.from(outcome.result as AsyncIterable<string>))
  }
  void reply.code(outcome.created ? 201 : output.status)
  return outcome.result
}
