import { Id, SIGNATURE_HEADER, Timestamp, type EventKind } from '@portico/contract'
import type { OpenApi, ParameterObject, WebhookObject } from './document.ts'
import type { Schemas } from './schemas.ts'

/** The webhook bodies, for type generators. The WebSocket carries the same bodies. */
export function webhooksOf(kinds: readonly EventKind[], schemas: Schemas): NonNullable<OpenApi['webhooks']> {
  return Object.fromEntries(kinds.map((kind) => [kind.event, { post: webhookObject(kind, schemas) }]))
}

function webhookObject({ event, summary, data }: EventKind, schemas: Schemas): WebhookObject {
  const properties = {
    event: { type: 'string', const: event },
    timestamp: schemas.publish(Timestamp),
    channelId: schemas.publish(Id),
    data: schemas.publish(data),
  }
  const schema = { type: 'object', required: Object.keys(properties), properties }
  return {
    operationId: operationIdOf(event),
    summary,
    description: 'Sent to the webhook of an application; a WebSocket carries the same body.',
    tags: ['Events'],
    security: [],
    parameters: [
      header('X-Service-Event', 'The event name', { type: 'string', const: event }),
      header('X-Service-Delivery', 'The same on every retry, so that repetitions can be dropped', { type: 'string' }),
      header(SIGNATURE_HEADER, '`sha256=` and the HMAC-SHA256 of the raw body with the secret, in hex', {
        type: 'string',
        pattern: '^sha256=[0-9a-f]{64}$',
      }),
    ],
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { '2XX': { description: 'Taken. Anything else, or none within 10 seconds, is tried again' } },
  }
}

/** `voice.member_joined` → `onVoiceMemberJoined` */
function operationIdOf(event: string): string {
  return `on.${event}`.replaceAll(/[._](\w)/g, (_match, letter: string) => letter.toUpperCase())
}

function header(name: string, description: string, schema: ParameterObject['schema']): ParameterObject {
  return { name, in: 'header', required: true, description, schema }
}
