import type { FastifyInstance } from 'fastify'
import type { Services } from '../operations/services.ts'
import { Refusal } from '../operations/refusal.ts'

/** In milliseconds: less than the deadline of a request. */
const LEASE_TIMEOUT = 9000

/**
 * Accepts requests only while this process holds the serving lease. While that can't be verified, requests wait.
 */
export function requireLease(app: FastifyInstance, { bus: { lease } }: Services): void {
  const wait = async (): Promise<void> => {
    if (!(await lease.whenHeld(LEASE_TIMEOUT))) throw new Refusal('timeout')
  }
  app.addHook('onRequest', (_request, _reply, done) => (lease.isHeld ? done() : wait()))
}
