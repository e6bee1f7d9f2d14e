import type { FastifyInstance } from 'fastify'
import type { Parts } from '../parts.ts'
import { interactionRoutes } from './interaction-routes.ts'
import { mountProvider } from './mount-provider.ts'
import { openProvider } from './provider.ts'

/** Sign-in for websites: the provider, and the questions that it has for people. */
export async function signInRoutes(app: FastifyInstance, parts: Parts): Promise<void> {
  const provider = await openProvider(parts)
  mountProvider(app, provider, parts.config)
  interactionRoutes(app, provider, parts)
}
