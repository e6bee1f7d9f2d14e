import { Type, type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { noInput, ok, operation } from './operation.ts'
import { named } from './schema.ts'

export type EventToken = Static<typeof EventToken>
export const EventToken = named(
  'EventToken',
  Type.Object({
    token: Type.String({
      description: 'Bound to the key that asked: it dies with the key',
      examples: ['WyIwMWExZGU4YS1jOWMwIl0.9vK1mT4cQ0sJ7yZr'],
    }),
    channel: Type.String({ description: 'The channel to subscribe to', examples: ['events'] }),
    url: Type.String({
      description: 'The WebSocket to connect to, with any Centrifuge client',
      examples: ['wss://chat.example/connection/websocket'],
    }),
    expiresIn: Type.Integer({ description: 'Seconds', examples: [LIMITS.eventTokenLife] }),
  }),
)

export const getEventToken = operation({
  at: 'GET /events/token',
  summary: 'A token for the event stream',
  description:
    'Only one connection per application is alive at a time: a second one displaces the first, whose token is then refused. Give the client library a function that calls this route again, so that it can renew the token by itself.',
  by: 'bot',
  scope: 'events',
  input: noInput,
  output: ok(EventToken),
})
