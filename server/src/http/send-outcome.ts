import { Readable } from 'node:stream'
import type { Operation } from '@portico/contract'
import type { FastifyReply, FastifySchema } from 'fastify'
import type { Outcome } from '../operations/transaction.ts'

/** The response schema of a route: only fields of the schema are serialized. */
export function answerSchema({ output: { status, schema, orCreated, file } }: Operation): { schema?: FastifySchema } {
  if (status === 204 || file !== undefined) return {}
  return { schema: { response: { [status]: schema, ...(orCreated && { 201: schema }) } } }
}

/** The handler's return value: the payload if possible, because awaiting the reply costs more. */
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
