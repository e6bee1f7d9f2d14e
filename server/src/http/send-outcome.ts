import type { Operation } from '@portico/contract'
import type { FastifyReply, FastifySchema } from 'fastify'
import type { Outcome } from '../transaction.ts'

/** What a route may answer with: the schema by which answers are written out, and nothing that is not in it. */
export function answerSchema({ output: { status, schema, orCreated } }: Operation): { schema?: FastifySchema } {
  if (status === 204) return {}
  return { schema: { response: { [status]: schema, ...(orCreated && { 201: schema }) } } }
}

export function sendOutcome(reply: FastifyReply, { output }: Operation, outcome: Outcome<unknown>): FastifyReply {
  if (output.status === 204) return reply.code(204).send()
  return reply.code(outcome.created ? 201 : output.status).send(outcome.result)
}
