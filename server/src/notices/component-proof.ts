import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Component } from '@portico/contract'
import type { Secret } from '../secrets/secret.ts'

interface Shown {
  readonly noticeId: string
  readonly roomId: string
  readonly botId: string
  /** To whom. */
  readonly userId: string
  readonly components: readonly Component[]
}

/** Shows later that a bot has shown these components to this person: a notice is stored nowhere. */
export function componentProof(secret: Secret, { noticeId, roomId, botId, userId, components }: Shown): string {
  const choices = components.map(({ type, id, options }) => [type, id, options?.map(({ value }) => value)])
  const shown = JSON.stringify([noticeId, roomId, botId, userId, choices])
  return createHmac('sha256', secret.key('components of notices')).update(shown).digest('base64url')
}

export function proves(proof: string, secret: Secret, shown: Shown): boolean {
  const expected = componentProof(secret, shown)
  return proof.length === expected.length && timingSafeEqual(Buffer.from(proof), Buffer.from(expected))
}
