import type { FastifyInstance } from 'fastify'
import type { Parts } from '../operations/services.ts'
import { openCurrentProvider } from './current-provider.ts'
import { interactionRoutes } from './interaction-routes.ts'
import { mountProvider } from './mount-provider.ts'

/** Sign-in for websites: the provider, and the questions that it has for people. */
export async function signInRoutes(app: FastifyInstance, parts: Parts): Promise<void> {
  const current = await openCurrentProvider(parts)
  mountProvider(app, current, parts.config)
  interactionRoutes(app, current, parts)
}
