import type { FastifyInstance } from 'fastify'
import type { Parts } from '../parts.ts'
import { portalDocument } from './documents.ts'

export function openapiRoutes(app: FastifyInstance, { config, version }: Parts): void {
  const portal = JSON.stringify(portalDocument(config.PUBLIC_URL, version))
  app.get('/portal/v1/openapi.json', async (_request, reply) => reply.type('application/json').send(portal))
}
