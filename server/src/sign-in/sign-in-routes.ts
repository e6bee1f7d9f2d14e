import type { FastifyInstance } from 'fastify'
import type { Services } from '../operations/services.ts'
import { currentProvider } from './current-provider.ts'
import { interactionRoutes } from './interaction-routes.ts'
import { mountProvider } from './mount-provider.ts'

/** Sign-in for websites: the provider and the sign-in page's API. */
export function signInRoutes(app: FastifyInstance, services: Services): void {
  const current = currentProvider(services)
  mountProvider(app, current, services.config)
  interactionRoutes(app, current, services)
}
