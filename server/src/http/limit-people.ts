import { RATE_LIMITS, type Operation } from '@portico/contract'
import type * as api from '@portico/contract'
import type { FastifyInstance } from 'fastify'
import { networkOf } from '../accounts/network-of.ts'
import type { Actor } from '../operations/actor.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import { RateLimiter } from '../quotas/rate-limiter.ts'
import { shareLimits } from '../quotas/share-limits.ts'

/** Operations with their own limit, in addition to the limits of all requests and all changes. */
const OWN_LIMITS: Readonly<Partial<Record<keyof typeof api, number>>> = {
  sendMessage: RATE_LIMITS.personSends,
  searchMessages: RATE_LIMITS.personSearches,
  requestSuggestions: RATE_LIMITS.personSuggestions,
  uploadFile: RATE_LIMITS.personUploads,
  reportDefect: RATE_LIMITS.personDefects,
}

export interface PeopleLimits {
  /** Throws if the address has sent too many requests, over all people who use it. */
  takeForAddress(address: string): void
  /** Throws if too many sign-ins to websites have begun at the address, or for the person who is signed in. */
  takeForSignIn(address: string, personId?: string): void
  /** Throws if the person has sent too many requests, from all devices together. */
  takeForPerson(actor: Actor, name: string, operation: Operation): void
}

/** The limits for people, per minute: higher than anyone reaches by hand. In a cluster they hold over all nodes. */
export function peopleLimits(app: FastifyInstance, { config, redis, log }: Services): PeopleLimits {
  const limiter = new RateLimiter(config.RATE_LIMIT_FACTOR)
  if (redis) {
    app.addHook('onReady', async () => {
      const stop = await shareLimits('people', limiter, redis, log)
      app.server.once('close', stop)
    })
  }
  const take = (subject: string, limit: number): void => {
    const retryAfterSec = limiter.take(subject, limit)
    if (retryAfterSec > 0) throw tooFast(retryAfterSec)
  }
  return {
    takeForAddress: (address) => take(`address ${networkOf(address)}`, RATE_LIMITS.addressRequests),
    takeForSignIn: (address, personId) => {
      if (personId === undefined) take(`sign-ins ${networkOf(address)}`, RATE_LIMITS.addressSignIns)
      else take(`sign-ins ${personId}`, RATE_LIMITS.personSignIns)
    },
    takeForPerson: (actor, name, { at }) => {
      if (actor.kind !== 'person') return
      take(`requests ${actor.id}`, RATE_LIMITS.personRequests)
      if (!at.startsWith('GET ')) take(`changes ${actor.id}`, RATE_LIMITS.personChanges)
      const own = OWN_LIMITS[name as keyof typeof api]
      if (own !== undefined) take(`${name} ${actor.id}`, own)
    },
  }
}

function tooFast(retryAfterSec: number): Refusal {
  return new Refusal('tooManyRequests', {
    message: `Too many requests in a minute. Try again in ${retryAfterSec} s.`,
    reason: 'too_fast',
    retryAfterSec,
  })
}
