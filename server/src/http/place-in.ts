import type { Operation } from '@portico/contract'
import type { FastifyRequest } from 'fastify'
import type { PlaceInput } from '../operations/authorize.ts'
import { UUID } from './validate-input.ts'

/** The place as the URL names it; the body may name more. An invalid id is left to the validation of the input. */
export function placeIn(request: FastifyRequest, { access }: Operation): PlaceInput {
  if (!access || access.exclusive) return {}
  const channelId = idIn(request, 'channelId')
  const roomId = access.room && idIn(request, 'roomId')
  return { ...(channelId !== undefined && { channelId }), ...(roomId !== undefined && { roomId }) }
}

function idIn({ params, query }: FastifyRequest, name: string): string | undefined {
  const said = [params, query] as readonly Record<string, unknown>[]
  const value = said.find((given) => Object.hasOwn(given, name))?.[name]
  return typeof value === 'string' && UUID.test(value) ? value : undefined
}
