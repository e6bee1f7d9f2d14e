import { Id, SIGNATURE_HEADER, Timestamp, type EventKind } from '@portico/contract'
import type { OperationObject, ParameterObject, WebhookObject } from './document.ts'
import type { Schemas } from './schemas.ts'

/** Where the portal sends them: to the address that the request set. */
export const TO_WEBHOOK = '{$request.body#/url}'

/**
 * The webhook bodies, as callbacks of the operation that sets the address. As `webhooks` of the document, generators would make
 * classes with the names of those of the routes out of them. The WebSocket carries the same bodies.
 */
export function callbacksOf(kinds: readonly EventKind[], schemas: Schemas): NonNullable<OperationObject['callbacks']> {
  return Object.fromEntries(kinds.map((kind) => [kind.event, { [TO_WEBHOOK]: { post: webhookObject(kind, schemas) } }]))
}

function webhookObject({ event, summary, data, optIn }: EventKind, schemas: Schemas): WebhookObject {
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
    description: `Sent to the webhook of an application${optIn ? ' that asked for it with `kinds`' : ''}; a WebSocket carries the same body.`,
    tags: ['Events'],
    security: [],
    ...(optIn && { 'x-opt-in': true }),
    parameters: [
      header('X-Service-Event', `The event name: \`${event}\``, { type: 'string' }),
      header('X-Service-Delivery', 'The same on every retry, so that repetitions can be dropped', { type: 'string' }),
      header(SIGNATURE_HEADER, '`sha256=` and the HMAC-SHA256 of the raw body with the secret, in hex', {
        type: 'string',
        pattern: '^sha256=[0-9a-f]{64}$',
      }),
    ],
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      '2XX': { description: 'Taken. Anything else, or none within 10 seconds, is tried again' },
      410: { description: 'Turns the webhook off' },
    },
  }
}

/** `voice.member_joined` → `onVoiceMemberJoined` */
function operationIdOf(event: string): string {
  return `on.${event}`.replaceAll(/[._](\w)/g, (_match, letter: string) => letter.toUpperCase())
}

function header(name: string, description: string, schema: ParameterObject['schema']): ParameterObject {
  return { name, in: 'header', required: true, description, schema }
}
