import { Type } from 'typebox'
import { LOCALES } from './accounts.ts'
import { LIMITS } from './limits.ts'
import { noInput, nothing, ok, operation } from './operation.ts'
import { OneOf } from './schema.ts'

/** An address and keys that a browser's push service has issued, as `PushSubscription.toJSON()` returns them. */
const subscription = {
  endpoint: Type.String({
    minLength: 1,
    maxLength: LIMITS.pushEndpoint,
    format: 'https-url',
    rule: `must be a public https address of at most ${LIMITS.pushEndpoint} characters`,
    description: 'The address at the browser’s push service',
    examples: ['https://push.example.com/send/8f2c4d'],
  }),
  p256dh: Type.String({
    pattern: '^[A-Za-z0-9_-]{87}=?$',
    rule: 'must be a P-256 public key in base64url',
    description: 'The browser’s public key, for which messages are encrypted',
    examples: ['BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'],
  }),
  auth: Type.String({
    pattern: '^[A-Za-z0-9_-]{22}(==)?$',
    rule: 'must be 16 bytes in base64url',
    description: 'The browser’s authentication secret',
    examples: ['BTBZMqHH6r4Tts7J_aSIgg'],
  }),
}

export const getPushSubscription = operation({
  at: 'GET /push-subscription',
  summary: 'Get the key to subscribe to Web Push with, and whether this session is subscribed',
  by: 'person',
  input: noInput,
  output: ok(
    Type.Object({
      publicKey: Type.String({ description: 'The portal’s VAPID key in base64url: the `applicationServerKey`' }),
      subscribed: Type.Boolean(),
    }),
  ),
})

export const setPushSubscription = operation({
  at: 'PUT /push-subscription',
  summary: 'Subscribe this session’s browser to Web Push',
  description: `Replaces the session’s earlier subscription, and ends with the session. A person has at most ${LIMITS.pushSubscriptions}: the oldest one ends when another is added.`,
  by: 'person',
  input: Type.Object({
    ...subscription,
    locale: OneOf(LOCALES, { description: 'The language of notifications while the account has none' }),
  }),
  output: nothing,
})

export const deletePushSubscription = operation({
  at: 'DELETE /push-subscription',
  summary: 'Unsubscribe this session’s browser (no effect if not subscribed)',
  by: 'person',
  input: noInput,
  output: nothing,
})

export const reportActivity = operation({
  at: 'POST /activity',
  summary: 'Report that you are using a window of the portal: nothing is pushed to your devices for a while',
  by: 'person',
  input: noInput,
  output: ok(
    Type.Object({
      repeat: Type.Boolean({
        description: `Report again every ${LIMITS.activityReport} seconds while the window is used. False if none of your devices is subscribed`,
      }),
    }),
  ),
})
