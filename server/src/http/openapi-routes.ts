import type { FastifyInstance } from 'fastify'
import type { Services } from '../operations/services.ts'
import { serveFixed } from './fixed-file.ts'
import type { OpenApi } from './openapi/document.ts'

/** Registered within the bot API, so that the response has that API's headers. */
export function botOpenapiRoute(api: FastifyInstance, { config, version }: Services): void {
  serve(api, '/openapi.json', ({ botDocument }) => botDocument(config.PUBLIC_URL, version))
}

export function openapiRoutes(app: FastifyInstance, { config, version }: Services): void {
  serve(app, '/portal/v1/openapi.json', ({ portalDocument }) => portalDocument(config.PUBLIC_URL, version))
}

type Documents = typeof import('./documents.ts')

/** The document is loaded and put together for the first request: a start doesn't wait for it. */
function serve(app: FastifyInstance, url: string, document: (documents: Documents) => OpenApi): void {
  const content = async (): Promise<string> => JSON.stringify(document(await import('./documents.ts')))
  serveFixed(app, { url, type: 'application/json; charset=utf-8', content })
}
