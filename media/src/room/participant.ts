import { ParticipantInfo, ParticipantInfo_State as State } from '@livekit/protocol'
import { writeMessage, type ServerMessage } from '../signal/codec.ts'
import type { Grant } from '../signal/verify-token.ts'
import { permissionsOf, toProtocol, type Permissions } from './permissions.ts'
import type { PublisherConnection } from './publisher-connection.ts'
import { newSid } from './sid.ts'
import { StreamStates } from './stream-states.ts'
import type { SubscriberConnection } from './subscriber-connection.ts'

/** How long a client without signaling stays in the room, in milliseconds. */
const RESUMABLE = 30_000

/** The way to a client's signaling socket. */
export interface SignalLink {
  send(bytes: Uint8Array): void
  close(code: number): void
}

export interface ParticipantOptions {
  readonly grant: Grant
  /** Unique in the room; by default the account. */
  readonly identity?: string
  readonly clientProtocol: number
  readonly publisher: PublisherConnection
  /** Null for one who only publishes. */
  readonly subscriber: SubscriberConnection | null
}

/** Someone in a room. Their signaling may break and come back while media goes on. */
export class Participant {
  readonly sid = newSid('PA')
  readonly identity: string
  /** Whom the portal knows; one account may both watch and broadcast with another program. */
  readonly account: string
  readonly name: string
  readonly publisher: PublisherConnection
  readonly subscriber: SubscriberConnection | null
  readonly streamStates = new StreamStates()
  readonly #joinedAt = Date.now()
  readonly #clientProtocol: number
  #permissions: Permissions
  #state = State.JOINING
  #version = 0
  #link: SignalLink | undefined
  #detachedAt = Infinity

  constructor({ grant, identity, clientProtocol, publisher, subscriber }: ParticipantOptions) {
    this.identity = identity ?? grant.identity
    this.account = grant.identity
    this.name = grant.name
    this.publisher = publisher
    this.subscriber = subscriber
    this.#clientProtocol = clientProtocol
    this.#permissions = permissionsOf(grant)
  }

  get permissions(): Permissions {
    return this.#permissions
  }

  get state(): State {
    return this.#state
  }

  /** Media is flowing, not only signaling. */
  get hasMedia(): boolean {
    return this.#state === State.ACTIVE
  }

  /** Sends sound or a picture that isn't muted. A program that only publishes is live once its media flows. */
  get isLive(): boolean {
    if (this.subscriber === null && !this.hasMedia) return false
    return this.publisher.tracks.some(({ published, info }) => published !== null && !info.muted)
  }

  get link(): SignalLink | undefined {
    return this.#link
  }

  /** From now on messages go to this socket. */
  attach(link: SignalLink): void {
    this.#link = link
    this.#detachedAt = Infinity
  }

  /** The socket is gone: messages go nowhere until the client resumes. */
  detach(): void {
    this.#link = undefined
    this.#detachedAt = performance.now()
  }

  /** Whether the socket has been gone for too long to come back. */
  get isForgotten(): boolean {
    return performance.now() - this.#detachedAt > RESUMABLE
  }

  /** Without media there is nothing to resume. */
  get canResume(): boolean {
    return this.hasMedia && !this.isForgotten
  }

  enter(state: State): void {
    this.#state = state
    this.touch()
  }

  permit(permissions: Permissions): void {
    this.#permissions = permissions
    this.touch()
  }

  /** Clients ignore an update whose version hasn't risen. */
  touch(): void {
    this.#version += 1
  }

  info(): ParticipantInfo {
    const tracks = this.publisher.tracks.filter(({ published }) => published).map(({ info }) => info)
    return new ParticipantInfo({
      sid: this.sid,
      identity: this.identity,
      name: this.name,
      state: this.#state,
      tracks,
      version: this.#version,
      joinedAt: BigInt(Math.floor(this.#joinedAt / 1000)),
      joinedAtMs: BigInt(this.#joinedAt),
      permission: toProtocol(this.#permissions),
      isPublisher: tracks.length > 0,
      clientProtocol: this.#clientProtocol,
    })
  }

  send(message: ServerMessage): void {
    this.#link?.send(writeMessage(message))
  }

  sendBytes(bytes: Uint8Array): void {
    this.#link?.send(bytes)
  }

  close(): void {
    this.enter(State.DISCONNECTED)
    this.publisher.close()
    this.subscriber?.close()
  }
}
