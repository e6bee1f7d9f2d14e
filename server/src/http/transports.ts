import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../operations/services.ts'
import type { PeopleLimits } from './limit-people.ts'

/** One kind of WebSocket. */
export interface SocketEndpoint {
  /** Takes over a request for a socket of this kind; returns false for any other. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
  /** Closes sockets over this many seconds and accepts no more, before the server stops. */
  drain?(seconds: number): Promise<void>
  close(): void | Promise<void>
}

/** What the other transports serve on the port of the HTTP server. */
export interface Transports {
  /** Routes of clients that send no cookie. */
  readonly routes: (app: FastifyInstance, services: Services) => Promise<void>
  /** Routes of people, who share the limits of the portal's API. */
  readonly peopleRoutes: (app: FastifyInstance, services: Services, limits: PeopleLimits) => void
  readonly openSockets: (services: Services) => readonly SocketEndpoint[]
}
