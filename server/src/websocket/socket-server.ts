import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fastifyCookie } from '@fastify/cookie'
import proxyAddr from '@fastify/proxy-addr'
import { RATE_LIMITS } from '@portico/contract'
import { WebSocketServer } from 'ws'
import { networkOf } from '../accounts/network-of.ts'
import { answerOnSocket } from '../http/answer-on-socket.ts'
import { isOwnOrigin } from '../http/refuse-foreign-origin.ts'
import { securityHeaders } from '../http/security-headers.ts'
import { cookieOf } from '../http/session-cookie.ts'
import type { SocketEndpoint } from '../http/transports.ts'
import { newId } from '../operations/ids.ts'
import type { EphemeralEvent } from '../events/ephemeral.ts'
import type { Services } from '../operations/services.ts'
import { OpenElsewhere } from '../quotas/open-elsewhere.ts'
import { RateLimiter } from '../quotas/rate-limiter.ts'
import { shareLimits } from '../quotas/share-limits.ts'
import { Refusal } from '../operations/refusal.ts'
import { admit, type Caller } from './admit.ts'
import { EventRecipients } from './event-recipients.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { Hub } from './hub.ts'
import { jsonCodec } from './json-codec.ts'
import { protobufCodec } from './protobuf-codec.ts'
import { CLOSES, ERRORS } from '../events/stream-codes.ts'
import { type ConnectRequest } from './protocol.ts'
import type { Admission } from './receiver.ts'
import { notifyOwners } from './notify-owners.ts'
import { publishPresence } from './publish-presence.ts'
import { SOCKET_PATH } from './get-event-token.ts'
import { noteStreams, streamsLostWithin } from './stream-owner.ts'

const PROTOBUF = 'centrifuge-protobuf'
const JSON_PROTOCOL = 'centrifuge-json'
const LARGEST_FRAME = 64 * 1024
const STALE_AFTER = 30_000
const EXPIRY_GRACE = 25_000
/** How often each connection is reviewed, in addition to notifications: not all of them at once. */
const REVIEW_EVERY = 60_000
/** How often it is forgotten who receives the events of which room, in case a change was missed. */
const FORGET_EVERY = 60_000
/** How often bots' connections are recorded as alive. */
const NOTE_EVERY = 20_000
const TICK = 1000
/** In milliseconds: how often a stopping node closes some of its sockets. */
const DRAIN_STEP = 100
/** A node tells the others about everyone who has this share of the sockets that they may have. Few people ever do. */
const SHARED_FROM = 1 / 10
/** How many consecutive pings may go unanswered: a busy client answers late. */
const PONGS_TO_MISS = 2

/**
 * The socket server. A valid handshake is always accepted: clients treat an HTTP error as temporary and retry forever, so
 * refusals happen within the protocol.
 */
export class SocketServer implements SocketEndpoint {
  readonly #services: Services
  readonly #hub: Hub
  readonly #recipients: EventRecipients
  readonly #sockets: WebSocketServer
  readonly #ticking: NodeJS.Timeout
  readonly #limiter: RateLimiter
  readonly #commandLimiter: RateLimiter
  readonly #elsewhere = new OpenElsewhere()
  readonly #sharing: Promise<(() => void)[]>
  /** How many sockets each network has open. */
  readonly #socketsOf = new Map<string, number>()
  readonly #tellingOwners: ReturnType<typeof notifyOwners>
  #isDraining = false
  #forgotAt = performance.now()
  #notedAt = performance.now()

  constructor(services: Services) {
    const { eventLog, presence, database, bus } = services
    this.#services = services
    this.#limiter = new RateLimiter(services.config.RATE_LIMIT_FACTOR)
    this.#commandLimiter = new RateLimiter(services.config.RATE_LIMIT_FACTOR)
    this.#recipients = new EventRecipients(database.pool)
    const hub = new Hub(eventLog, presence, this.#recipients, services.metrics.socketLag)
    this.#hub = hub
    this.#sockets = new WebSocketServer({
      noServer: true,
      maxPayload: LARGEST_FRAME,
      perMessageDeflate: false,
      handleProtocols: (offered) => [PROTOBUF, JSON_PROTOCOL].find((name) => offered.has(name)) ?? false,
    })
    this.#ticking = setInterval(() => this.#tick(), TICK)
    for (const topic of ['streams', 'keys', 'sessions'] as const) {
      bus.subscribe(topic, (accountId) =>
        this.#review(accountId === '' ? hub.connections : hub.connectionsOf(accountId)),
      )
    }
    // Ephemeral events that are lost while the database is down are not needed.
    bus.subscribe('ephemeral', (word) => word !== '' && this.#pass(JSON.parse(word) as EphemeralEvent))
    publishPresence(presence, hub)
    this.#tellingOwners = notifyOwners(services, hub)
    this.#sharing = this.#shareAmongNodes()
    this.#observe()
  }

  /**
   * Closes the sockets one by one over this many seconds, so that not everyone reconnects at once, and accepts no more. A client
   * that is refused here tries again, and reaches another node.
   */
  async drain(seconds: number): Promise<void> {
    this.#isDraining = true
    const end = performance.now() + seconds * 1000
    let due = 0
    for (let left = end - performance.now(); left > 0; left = end - performance.now()) {
      const open = [...this.#hub.connections]
      // Of a few sockets, only a part of one is due in each step.
      due += (open.length * DRAIN_STEP) / Math.max(left, DRAIN_STEP)
      for (const connection of open.slice(0, Math.floor(due))) connection.close(CLOSES.shutdown)
      due %= 1
      await sleep(Math.min(DRAIN_STEP, left))
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#ticking)
    for (const connection of this.#hub.connections) connection.close(CLOSES.shutdown)
    this.#sockets.close()
    for (const stop of await this.#sharing) stop()
    await this.#tellingOwners.stop()
  }

  /** In a cluster, the limits of people and addresses hold over all nodes. */
  async #shareAmongNodes(): Promise<(() => void)[]> {
    const { redis, log } = this.#services
    if (!redis) return []
    return Promise.all([
      shareLimits('sockets', this.#limiter, redis, log),
      this.#elsewhere.share(() => this.#manyOpen(), redis, log),
    ])
  }

  /** The people and networks that have many sockets open here. */
  #manyOpen(): ReadonlyMap<string, number> {
    const ofAddress = this.#limiter.most(RATE_LIMITS.addressSockets) * SHARED_FROM
    const networks = [...this.#socketsOf].filter(([, count]) => count >= ofAddress)
    return new Map([...this.#hub.peopleWith(this.#limiter.most(RATE_LIMITS.personSockets) * SHARED_FROM), ...networks])
  }

  #pass(word: EphemeralEvent): void {
    this.#hub
      .pass(word)
      .catch((error: unknown) => this.#services.log.error({ err: error }, 'broadcasting an ephemeral event failed'))
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const url = URL.parse(request.url ?? '', 'http://portico')
    if (url?.pathname !== SOCKET_PATH) return false
    if (this.#isDraining) this.#refuse(socket)
    else this.#open(request, url.searchParams, socket, head)
    return true
  }

  #open(request: IncomingMessage, query: URLSearchParams, socket: Duplex, head: Buffer): void {
    // centrifuge-python sends an empty header, which the handshake would reject.
    if (request.headers['sec-websocket-protocol']?.trim() === '') delete request.headers['sec-websocket-protocol']
    const requested = request.headers['sec-websocket-protocol'] ?? ''
    const wanted = query.get('cf_protocol') ?? query.get('format')
    const codec = requested.includes(PROTOBUF) || wanted === 'protobuf' ? protobufCodec : jsonCodec
    const caller = {
      address: proxyAddr(request, [...this.#services.config.TRUSTED_PROXIES]),
      sessionToken: this.#readSessionToken(request),
    }
    const terms: ConnectionOptions = {
      version: this.#services.version,
      pingSeconds: this.#services.config.STREAM_PING_SECONDS,
      admit: (connect) => this.#admit(caller, connect),
      limiter: this.#limiter,
      commandLimiter: this.#commandLimiter,
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new Connection(webSocket, socket, codec, this.#hub, terms, this.#services.log)
      const network = networkOf(caller.address)
      this.#count(network, 1)
      webSocket.on('close', () => this.#count(network, -1))
      if (this.#isTooMany(network)) return connection.close(CLOSES.tooManyCommands)
      this.#hub.add(connection)
      const spread = 0.5 + Math.random() / 2
      connection.pingDue = connection.openedAt + terms.pingSeconds * 1000 * spread
      connection.reviewDue = connection.openedAt + REVIEW_EVERY * spread
    })
  }

  async #admit(caller: Caller, request: ConnectRequest): Promise<Admission> {
    const admission = await admit(this.#services, caller, request)
    // An application has one connection, the newest; a person may have many windows open.
    const most = this.#limiter.most(RATE_LIMITS.personSockets)
    if (!('receiver' in admission) || admission.receiver.kind === 'bot') return admission
    const { accountId } = admission.receiver
    const open = this.#hub.connectionsOf(accountId).length + this.#elsewhere.count(accountId)
    return open >= most ? { error: ERRORS.tooManyRequests } : admission
  }

  #count(network: string, change: 1 | -1): void {
    const count = (this.#socketsOf.get(network) ?? 0) + change
    if (count === 0) this.#socketsOf.delete(network)
    else this.#socketsOf.set(network, count)
  }

  /** Whether a network has too many sockets open, or opens them too fast. */
  #isTooMany(network: string): boolean {
    const open = (this.#socketsOf.get(network) ?? 0) + this.#elsewhere.count(network)
    if (open > this.#limiter.most(RATE_LIMITS.addressSockets)) return true
    return this.#limiter.take(`connects ${network}`, RATE_LIMITS.addressConnects) > 0
  }

  #refuse(socket: Duplex): void {
    const headers = { 'x-request-id': newId(), ...securityHeaders(this.#services.config)(SOCKET_PATH) }
    answerOnSocket(new Refusal('timeout'), socket, headers)
  }

  /** A page of another site can't use a visitor's cookie. */
  #readSessionToken({ headers, socket }: IncomingMessage): string | undefined {
    const { origin, host = '', cookie = '' } = headers
    if (origin === undefined || !isOwnOrigin(origin, { host, socket }, this.#services)) return undefined
    return fastifyCookie.parse(cookie)[cookieOf(socket, this.#services.config).name]
  }

  /** One timer for all connections: pings, reviews, expired tokens, and sockets that never sent anything. */
  #tick(): void {
    const now = performance.now()
    const pingEvery = this.#services.config.STREAM_PING_SECONDS * 1000
    const due: Connection[] = []
    for (const connection of this.#hub.connections) {
      if (connection.isNew && now - connection.openedAt > STALE_AFTER) connection.close(CLOSES.stale)
      else if (now > connection.expiresAt + EXPIRY_GRACE) connection.close(CLOSES.expired)
      else if (connection.isConnected && now >= connection.pingDue) {
        connection.pingDue = now + pingEvery
        connection.pongsMissed += 1
        if (connection.pongsMissed > PONGS_TO_MISS) connection.close(CLOSES.noPong)
        else connection.ping()
      }
      if (now >= connection.reviewDue) {
        connection.reviewDue = now + REVIEW_EVERY
        due.push(connection)
      }
    }
    this.#review(due)
    if (now - this.#forgotAt > FORGET_EVERY) {
      this.#forgotAt = now
      this.#recipients.forgetAll()
    }
    if (now - this.#notedAt > NOTE_EVERY) {
      this.#notedAt = now
      this.#note().catch((error: unknown) => {
        this.#services.log.warn({ err: error }, 'recording connected bots failed')
      })
    }
  }

  async #note(): Promise<void> {
    const { database, applicationNotifier } = this.#services
    const streams = [...this.#hub.connections].flatMap(({ receiver, isConnected, progress }) =>
      receiver?.stream && isConnected ? [{ key: receiver.stream, progress }] : [],
    )
    if (streams.length > 0) await noteStreams(database.pool, streams)
    for (const { key, progress } of streams) {
      if (progress.phase === 'behind') applicationNotifier.notify(key.applicationId, 'stream')
    }
    // Checked by every process, with some overlap, because dead processes can't report.
    const lost = await streamsLostWithin(database.pool, (2 * NOTE_EVERY) / 1000)
    for (const applicationId of lost) applicationNotifier.notify(applicationId, 'stream')
  }

  /** Closes connections that are no longer allowed: a revoked key, an ended session, a newer connection elsewhere. */
  #review(connections: Iterable<Connection>): void {
    for (const connection of connections) {
      connection.review().catch((error: unknown) => {
        this.#services.log.error({ err: error }, 'connection review failed; retrying in a minute')
      })
    }
  }

  #observe(): void {
    this.#services.metrics.gauge('portico_open_rooms', 'Rooms that open portals show', [], () => [
      [{}, this.#hub.openRooms.size],
    ])
    this.#services.metrics.gauge('portico_sockets', 'Open sockets', ['receiver'], () => {
      const receivers = [...this.#hub.connections].map(({ receiver }) => receiver?.kind ?? 'none')
      return ['bot', 'person', 'none'].map((kind) => [
        { receiver: kind },
        receivers.filter((receiver) => receiver === kind).length,
      ])
    })
  }
}
