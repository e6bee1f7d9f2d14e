import { Type, type Static } from 'typebox'
import { EventKinds, WEBHOOK_EVENTS } from './event-names.ts'
import { LIMITS } from './limits.ts'
import { noInput, nothing, ok, okOrCreated, operation } from './operation.ts'
import { ApplicationId } from './ids.ts'
import { Count, Id, Integer, named, Nullable, OneOf, Timestamp } from './schema.ts'

export const SIGNATURE_HEADER = 'X-Service-Signature'

const URL_EXAMPLES = ['https://bot.example/portico']

/** The syntax of an address; whether it is public is checked when its name is resolved. */
export const HTTPS_URL_PATTERN = '^[Hh][Tt][Tt][Pp][Ss]://[^\\s/?#@\\\\]+([/?#]\\S*)?$'

const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: LIMITS.webhookUrl,
  format: 'https-url',
  rule: `must be a public https address of at most ${LIMITS.webhookUrl} characters`,
  description: 'A public https address',
  examples: URL_EXAMPLES,
})

const SentKinds = EventKinds(WEBHOOK_EVENTS, 'What is sent, if kinds were named')

const Kinds = EventKinds(
  WEBHOOK_EVENTS,
  'Everything that is to be sent. Without it, what was set before; for a new webhook, events of messages, reactions and voice',
)

const RotateSecret = Type.Boolean({ description: 'Issue a new signing secret', rule: 'must be true or false' })

export type SetWebhook = Static<typeof SetWebhook>
export const SetWebhook = named(
  'SetWebhook',
  Type.Object({
    url: Type.String({ examples: URL_EXAMPLES }),
    active: Type.Boolean({ examples: [true] }),
    secret: Type.Optional(
      Type.String({
        description: 'The signing secret, on creation and rotation only',
        examples: ['whsec_bW9vcmluZy1saW5lcy1hbmQtY2xlYXRz'],
      }),
    ),
    signatureHeader: Type.String({
      description: 'The name of the header with the signature',
      examples: [SIGNATURE_HEADER],
    }),
    kinds: Type.Optional(SentKinds),
  }),
)

export const setWebhook = operation({
  at: 'PUT /webhook',
  summary: 'Set the webhook address; turns on a webhook that was turned off',
  description:
    'A webhook that was off continues with new events; held events can be replayed in the developer console.',
  by: 'bot',
  scope: 'events',
  refusals: ['privateAddress'],
  input: Type.Object({ url: WebhookUrl, rotateSecret: Type.Optional(RotateSecret), kinds: Type.Optional(Kinds) }),
  output: okOrCreated(SetWebhook),
})

export const getWebhook = operation({
  at: 'GET /webhook',
  summary: 'Get the webhook and its status',
  by: 'bot',
  scope: 'events',
  refusals: ['noWebhook'],
  input: noInput,
  output: ok(
    named(
      'Webhook',
      Type.Object({
        url: Type.String({ examples: URL_EXAMPLES }),
        active: Type.Boolean({
          description: 'False after a series of failures or while no key has the scope `events`: nothing is delivered',
          examples: [true],
        }),
        failedStreak: { ...Count, description: 'Failed attempts in a row', examples: [0] },
        createdAt: Timestamp,
        kinds: Type.Optional(SentKinds),
      }),
    ),
  ),
})

export const deleteWebhook = operation({
  at: 'DELETE /webhook',
  summary: 'Remove the webhook',
  by: 'bot',
  scope: 'events',
  input: noInput,
  output: nothing,
})

const ofApplication = { applicationId: ApplicationId }

/** Why an attempt failed, or why none is made; the technical error is a separate field. */
export const DELIVERY_ERRORS = [
  'status',
  'redirect',
  'unknown_host',
  'private_host',
  'refused',
  'unreachable',
  'silent',
  'broken_off',
  'certificate_expired',
  'certificate_name',
  'certificate_issuer',
  'no_tls',
  'other',
] as const

export type DeliveryErrorCode = (typeof DELIVERY_ERRORS)[number]

export type WebhookState = Static<typeof WebhookState>
export const WebhookState = named(
  'WebhookState',
  Type.Object({
    url: Type.String(),
    kinds: Nullable(
      Type.Array(OneOf(WEBHOOK_EVENTS), { description: 'What is sent; null if it is the default kinds' }),
    ),
    active: Type.Boolean(),
    paused: Type.Boolean({
      description: 'Off because no key has the scope `events`; held events are sent when one has it',
    }),
    failedStreak: Count,
    createdAt: Timestamp,
    lastSuccessAt: Nullable(Timestamp),
    lastErrorCode: Nullable(OneOf(DELIVERY_ERRORS)),
    lastError: Nullable(Type.String()),
    turnedOffAt: Nullable(Timestamp),
    pending: { ...Count, description: 'Deliveries in progress or waiting for their next attempt' },
    held: { ...Count, description: 'Held events that can be replayed' },
  }),
)

export const getApplicationWebhook = operation({
  at: 'GET /applications/:applicationId/webhook',
  summary: 'Get your application’s webhook and its status; null if there is none',
  by: 'person',
  input: Type.Object(ofApplication),
  output: ok(Type.Object({ webhook: Nullable(WebhookState) })),
})

export const setApplicationWebhook = operation({
  at: 'PUT /applications/:applicationId/webhook',
  summary: 'Set your application’s webhook',
  by: 'person',
  input: Type.Object({
    ...ofApplication,
    url: WebhookUrl,
    rotateSecret: Type.Optional(RotateSecret),
    kinds: Type.Optional(Kinds),
  }),
  output: okOrCreated(SetWebhook),
})

export const deleteApplicationWebhook = operation({
  at: 'DELETE /applications/:applicationId/webhook',
  summary: 'Remove your application’s webhook',
  by: 'person',
  input: Type.Object(ofApplication),
  output: nothing,
})

export const testWebhook = operation({
  at: 'POST /applications/:applicationId/webhook/test',
  summary: 'Send a signed test delivery, `ping`',
  by: 'person',
  input: Type.Object(ofApplication),
  output: ok(Type.Object({ deliveryId: Id })),
})

export const replayHeld = operation({
  at: 'POST /applications/:applicationId/webhook/replay',
  summary: 'Replay the events from the time the webhook was off, at most ten per second',
  by: 'person',
  input: Type.Object(ofApplication),
  output: ok(Type.Object({ events: Count })),
})

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'held'] as const

export type Delivery = Static<typeof Delivery>
export const Delivery = named(
  'Delivery',
  Type.Object({
    id: Id,
    event: Type.String(),
    state: OneOf(DELIVERY_STATES),
    attempts: Count,
    createdAt: Timestamp,
    nextAttemptAt: Nullable(Timestamp),
    lastStatus: Nullable(Type.Integer()),
    lastErrorCode: Nullable(OneOf(DELIVERY_ERRORS)),
    lastError: Nullable(Type.String()),
    lastDurationMs: Nullable(Type.Integer()),
  }),
)

export const listDeliveries = operation({
  at: 'GET /applications/:applicationId/deliveries',
  summary: 'List your application’s deliveries, newest first',
  by: 'person',
  input: Type.Object({
    ...ofApplication,
    state: Type.Optional({ ...OneOf(DELIVERY_STATES), description: 'Only deliveries in this state' }),
    beforeId: Type.Optional({ ...Id, description: 'The last delivery of the previous page' }),
    limit: Type.Optional(Integer(1, 100, { description: 'Default 50' })),
  }),
  output: ok(Type.Object({ deliveries: Type.Array(Delivery), hasMore: Type.Boolean() })),
})

export const DeliveryDetails = named(
  'DeliveryDetails',
  Type.Object({
    delivery: Delivery,
    body: Type.String(),
    attempts: Type.Array(
      Type.Object({
        number: Type.Integer(),
        at: Timestamp,
        durationMs: Type.Integer(),
        request: Nullable(
          Type.Object({
            url: Type.String(),
            headers: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
          }),
        ),
        status: Nullable(Type.Integer()),
        fault: Nullable(OneOf(DELIVERY_ERRORS)),
        error: Nullable(Type.String()),
        answer: Nullable(Type.String({ description: 'The first 4 KiB of the response' })),
      }),
    ),
  }),
)

export const getDelivery = operation({
  at: 'GET /applications/:applicationId/deliveries/:deliveryId',
  summary: 'Get a delivery with its request and every attempt',
  by: 'person',
  input: Type.Object({ ...ofApplication, deliveryId: { ...Id, description: 'The delivery' } }),
  output: ok(DeliveryDetails),
})

export const redeliver = operation({
  at: 'POST /applications/:applicationId/deliveries/:deliveryId/redeliver',
  summary: 'Send a delivery again, with the same id',
  by: 'person',
  input: Type.Object({ ...ofApplication, deliveryId: { ...Id, description: 'The delivery' } }),
  output: ok(Delivery),
})
