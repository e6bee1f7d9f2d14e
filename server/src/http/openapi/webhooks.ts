import { Id, SIGNATURE_HEADER, Timestamp, type EventKind } from '@portico/contract'
import type { OperationObject, ParameterObject, WebhookObject } from './document.ts'
import type { Schemas } from './schemas.ts'

/** Where the portal sends them: to the address that the request set. */
export const TO_WEBHOOK = '{$request.body#/url}'

/** Over the WebSocket at the address that the response has. */
const TO_STREAM = '{$response.body#/url}'

/**
 * What is sent because of an operation: webhook bodies, which a WebSocket carries as well, or what only a WebSocket does. As `webhooks` of
 * the document, generators would make classes with the names of those of the routes out of them.
 */
export function callbacksOf(
  name: string,
  kinds: readonly EventKind[],
  schemas: Schemas,
): Pick<OperationObject, 'callbacks'> {
  const sent = (those: readonly EventKind[], to: string, describe: typeof webhookObject) =>
    Object.fromEntries(those.map((kind) => [kind.event, { [to]: { post: describe(kind, schemas) } }]))
  if (name === 'setWebhook') {
    const logged = kinds.filter(({ ephemeral }) => !ephemeral)
    return { callbacks: sent(logged, TO_WEBHOOK, webhookObject) }
  }
  if (name !== 'getEventToken') return {}
  const live = kinds.filter(({ ephemeral }) => ephemeral)
  return { callbacks: sent(live, TO_STREAM, streamObject) }
}

function webhookObject(kind: EventKind, schemas: Schemas): WebhookObject {
  return {
    ...eventObject(kind, schemas),
    description: `Sent to the webhook of an application${kind.optIn ? ' that asked for it with `kinds`' : ''}; a WebSocket carries the same body.`,
    parameters: [
      header('X-Service-Event', `The event name: \`${kind.event}\``, { type: 'string' }),
      header('X-Service-Delivery', 'The same on every retry, so that repetitions can be dropped', { type: 'string' }),
      header(SIGNATURE_HEADER, '`sha256=` and the HMAC-SHA256 of the raw body with the secret, in hex', {
        type: 'string',
        pattern: '^sha256=[0-9a-f]{64}$',
      }),
    ],
    responses: {
      '2XX': { description: 'Taken. Anything else, or none within 10 seconds, is tried again' },
      410: { description: 'Turns the webhook off' },
    },
  }
}

/** Operations of OpenAPI need both. */
const NO_RESPONSE = { description: 'Nothing is answered over a WebSocket' }

function streamObject(kind: EventKind, schemas: Schemas): WebhookObject {
  return {
    ...eventObject(kind, schemas),
    description:
      'Sent over the WebSocket of an application that asked for it with `kinds`, if it is connected at this moment; never to a webhook.',
    parameters: [],
    responses: { '2XX': NO_RESPONSE, '4XX': NO_RESPONSE },
  }
}

function eventObject({ event, summary, data, optIn }: EventKind, schemas: Schemas) {
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
    tags: ['Events'],
    security: [],
    ...(optIn && ({ 'x-opt-in': true } as const)),
    requestBody: { required: true as const, content: { 'application/json': { schema } } },
  }
}

/** `voice.member_joined` → `onVoiceMemberJoined` */
function operationIdOf(event: string): string {
  return `on.${event}`.replaceAll(/[._](\w)/g, (_match, letter: string) => letter.toUpperCase())
}

function header(name: string, description: string, schema: ParameterObject['schema']): ParameterObject {
  return { name, in: 'header', required: true, description, schema }
}
