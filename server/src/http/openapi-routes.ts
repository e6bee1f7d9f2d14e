import type { FastifyInstance } from 'fastify'
import type { Services } from '../operations/services.ts'
import { botDocument, portalDocument } from './documents.ts'
import { serveFixed } from './fixed-file.ts'
import type { OpenApi } from './openapi/document.ts'

/** Registered within the bot API, so that the response has that API's headers. */
export function botOpenapiRoute(api: FastifyInstance, { config, version }: Services): void {
  serve(api, '/openapi.json', () => botDocument(config.PUBLIC_URL, version))
}

export function openapiRoutes(app: FastifyInstance, { config, version }: Services): void {
  serve(app, '/portal/v1/openapi.json', () => portalDocument(config.PUBLIC_URL, version))
}

function serve(app: FastifyInstance, url: string, document: () => OpenApi): void {
  serveFixed(app, { url, type: 'application/json; charset=utf-8', content: () => JSON.stringify(document()) })
}
