import type { FastifyInstance } from 'fastify'
import type { Services } from '../operations/services.ts'
import { openCurrentProvider } from './current-provider.ts'
import { interactionRoutes } from './interaction-routes.ts'
import { mountProvider } from './mount-provider.ts'

/** Sign-in for websites: the provider and the sign-in page's API. */
export async function signInRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const current = await openCurrentProvider(services)
  mountProvider(app, current, services.config)
  interactionRoutes(app, current, services)
}
