import type { FastifyInstance } from 'fastify'
import type { PeopleLimits } from '../http/limit-people.ts'
import type { Services } from '../operations/services.ts'
import { currentProvider } from './current-provider.ts'
import { interactionRoutes } from './interaction-routes.ts'
import { mountProvider } from './mount-provider.ts'

/** Sign-in for websites: the provider and the sign-in page's API. */
export function signInRoutes(app: FastifyInstance, services: Services, limits: PeopleLimits): void {
  const current = currentProvider(services)
  void app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => limits.takeForAddress(request.ip))
    mountProvider(scope, current, services, limits)
    interactionRoutes(scope, current, services)
  })
}
