import { Type, type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { BOT_EVENTS, EventKinds } from './event-names.ts'
import { ok, operation } from './operation.ts'
import { ApplicationId } from './ids.ts'
import { Count, named, Nullable, OneOf, Timestamp } from './schema.ts'

export type EventToken = Static<typeof EventToken>
export const EventToken = named(
  'EventToken',
  Type.Object({
    token: Type.String({
      description: 'Bound to the key that requested it: it stops working with the key',
      examples: ['WyIwMWExZGU4YS1jOWMwIl0.9vK1mT4cQ0sJ7yZr'],
    }),
    channel: Type.String({ description: 'The channel to subscribe to', examples: ['events'] }),
    url: Type.String({
      description: 'The WebSocket to connect to, with any Centrifuge client',
      examples: ['wss://chat.example/connection/websocket'],
    }),
    expiresIn: Type.Integer({ description: 'Seconds', examples: [LIMITS.eventTokenLife] }),
    kinds: Type.Optional(EventKinds(BOT_EVENTS, 'What the connection receives, if the request named kinds')),
  }),
)

export const getEventToken = operation({
  at: 'GET /events/token',
  summary: 'Get a token for the event stream',
  description:
    'An application has one connection at a time: a second one replaces the first, whose token is then rejected. Give the client library a function that calls this route, so that it can renew the token itself.',
  by: 'bot',
  scope: 'events',
  input: Type.Object({
    kinds: Type.Optional(
      EventKinds(
        BOT_EVENTS,
        'Everything that the connection is to receive, separated by commas. Without it: events of messages, reactions and voice',
      ),
    ),
  }),
  output: ok(EventToken),
})

const Peer = Type.Object({
  client: Type.String({ description: 'The name that the client library reports' }),
  address: Type.String(),
})

/** `idle`: connected, but without a subscription to `events`. `behind`: being sent what it missed. */
export const STREAM_STATES = ['never', 'live', 'behind', 'idle', 'gone'] as const

export type StreamState = Static<typeof StreamState>
export const StreamState = named(
  'StreamState',
  Type.Object({
    state: OneOf(STREAM_STATES),
    peer: Nullable({ ...Peer, description: 'The current connection, or the last one' }),
    since: Nullable({ ...Timestamp, description: 'When it connected or disconnected' }),
    kinds: Nullable(
      Type.Array(OneOf(BOT_EVENTS), { description: 'What it asked for; null if it receives the default kinds' }),
    ),
    backlog: { ...Count, description: 'Events waiting for it; counted up to 10,001' },
    displaced: Nullable(
      Type.Object(
        { at: Timestamp, from: Peer, by: Peer },
        { description: 'The last time one connection replaced another' },
      ),
    ),
  }),
)

export const getApplicationStream = operation({
  at: 'GET /applications/:applicationId/stream',
  summary: 'Get the state of your application’s event stream',
  by: 'person',
  input: Type.Object({ applicationId: ApplicationId }),
  output: ok(StreamState),
})
