import type { ErrorCode, Operation } from '@portico/contract'
import { operations } from '../app.ts'
import { openapiOf } from './openapi.ts'

const REQUEST_ID = { 'X-Request-Id': 'Names this request in the logs' }

/** The reference of the portal's own API, which people's browsers use. */
export function portalDocument(publicUrl: string, version: string) {
  return openapiOf({
    title: 'Portico: portal API',
    description:
      'What the web portal calls, with a cookie session. Requests that change something carry an `Origin` header of the portal.',
    server: `${publicUrl}/portal/v1`,
    version,
    security: { session: { type: 'apiKey', in: 'cookie', name: 'portico' } },
    operations: [...operations].filter(([, { by }]) => by !== 'bot'),
    errorsOf: portalErrors,
    headers: REQUEST_ID,
  })
}

function portalErrors(operation: Operation): ErrorCode[] {
  const signedIn = operation.by !== 'anyone'
  return [
    'badRequest',
    ...(signedIn || operation.at === 'POST /sessions' ? (['unauthorized'] as const) : []),
    'forbidden',
    'unprocessable',
    ...(operation.by === 'anyone' ? (['tooManyRequests'] as const) : []),
    'fault',
    'timeout',
  ]
}
