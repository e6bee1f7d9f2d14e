import { channelChanged, memberJoined, memberLeft } from '@portico/contract'
import type { Histogram } from 'prom-client'
import { bodyForBot, bodyForPeople } from '../events/emit-event.ts'
import type { EventLog } from '../events/event-log.ts'
import type { LoggedEvent } from '../events/read-settled.ts'
import type { EphemeralEvent, RoomRecipients } from '../events/ephemeral.ts'
import type { Presence } from '../presence/presence.ts'
import type { EventRecipients } from './event-recipients.ts'
import type { Connection } from './connection.ts'
import type { Codec } from './protocol.ts'
import { OpenRooms, roomChannel } from './open-rooms.ts'
import type { Receiver, MembershipRange } from './receiver.ts'
import { sharedJoin, wholeFrame } from './whole-frame.ts'

/** How many events may be sent in one write: more would look like a client that doesn't read. */
const MOST_HELD = 32

interface Change {
  readonly channelId: string
  readonly joined: boolean
}

/** The connections of this process, and which of them an event goes to. */
export class Hub {
  readonly openRooms = new OpenRooms<Connection>()
  readonly #eventLog: EventLog
  readonly #presence: Presence
  readonly #recipients: EventRecipients
  readonly #lag: Histogram
  readonly #connections = new Set<Connection>()
  readonly #byAccount = new Map<string, Set<Connection>>()
  readonly #live = new Map<string, Set<Connection>>()
  readonly #channelsOf = new Map<Connection, Set<string>>()
  /** The channels that the log follows for a connection: those above, from before it goes live. */
  readonly #followed = new Map<Connection, Set<string>>()
  /** Membership changes logged while a connection was recovering. */
  readonly #changes = new Map<Connection, Change[]>()
  /** Connections with queued events of the current batch: one write for many events is cheap. */
  readonly #held = new Set<Connection>()
  /** Connections of people. */
  #people = 0
  #position = 0

  constructor(eventLog: EventLog, presence: Presence, recipients: EventRecipients, lag: Histogram) {
    this.#lag = lag
    this.#eventLog = eventLog
    this.#presence = presence
    this.#recipients = recipients
    eventLog.listen((events) => this.#deliver(events))
    // While a channel isn't followed, nobody says that it was changed.
    eventLog.listenToEnds((channelId) => recipients.channelChanged(channelId))
  }

  /** The position of the last delivered event; within a batch, ahead of the log's own. */
  get top(): number {
    return Math.max(this.#position, this.#eventLog.top)
  }

  get epoch(): string {
    return this.#eventLog.epoch
  }

  reaches(seq: number, timeout: number): Promise<boolean> {
    return this.#eventLog.reaches(seq, timeout)
  }

  get connections(): ReadonlySet<Connection> {
    return this.#connections
  }

  connectionsOf(accountId: string): readonly Connection[] {
    return [...(this.#byAccount.get(accountId) ?? [])]
  }

  add(connection: Connection): void {
    this.#connections.add(connection)
  }

  /** An application has only one connection: the newest. */
  admit(connection: Connection, { accountId, kind, stream }: Receiver): void {
    for (const other of this.connectionsOf(accountId)) {
      if (stream && (other.receiver?.stream?.generation ?? 0) < stream.generation) other.displace()
    }
    put(this.#byAccount, accountId, connection)
    if (kind === 'person') this.#people += 1
    this.#presence.connected(accountId, kind)
  }

  expect(connection: Connection): void {
    this.#changes.set(connection, [])
  }

  /** Resolves when everything after the top that happens in these channels will be delivered. */
  async follow(connection: Connection, ranges: readonly MembershipRange[]): Promise<void> {
    const channelIds = ranges.filter(({ to }) => to === null).map(({ channelId }) => channelId)
    const [since] = await Promise.all([this.#follow(connection, channelIds), this.#eventLog.refresh()])
    await this.#eventLog.passes(since)
  }

  /** Everything up to the top has been sent: from here on events are delivered live. */
  goLive(connection: Connection, ranges: readonly MembershipRange[]): void {
    const { top } = this
    const channels = new Set(
      ranges.filter(({ from, to }) => from <= top && (to === null || to > top)).map(({ channelId }) => channelId),
    )
    for (const { channelId, joined } of this.#changes.get(connection) ?? []) {
      if (joined) channels.add(channelId)
      else channels.delete(channelId)
    }
    this.#changes.delete(connection)
    this.#channelsOf.set(connection, channels)
    for (const channelId of channels) put(this.#live, channelId, connection)
  }

  pause(connection: Connection): void {
    this.#changes.delete(connection)
    for (const channelId of this.#channelsOf.get(connection) ?? []) take(this.#live, channelId, connection)
    this.#channelsOf.delete(connection)
    this.#eventLog.leave(this.#followed.get(connection) ?? [])
    this.#followed.delete(connection)
  }

  forget(connection: Connection): void {
    this.pause(connection)
    this.openRooms.closeAll(connection)
    this.#connections.delete(connection)
    const { receiver } = connection
    if (!receiver || !take(this.#byAccount, receiver.accountId, connection)) return
    if (receiver.kind === 'person') this.#people -= 1
    this.#presence.disconnected(receiver.accountId)
  }

  /** Delivers an ephemeral event to its recipients in this process. */
  async pass({ to, body }: EphemeralEvent): Promise<void> {
    if ('accountId' in to) {
      const kind = 'kind' in to ? to.kind : undefined
      const connections = this.connectionsOf(to.accountId).filter(({ receiver }) =>
        kind === undefined ? receiver?.kind === 'person' : receiver?.wantsEphemeral(kind),
      )
      return this.#sendEphemeral(connections, body)
    }
    const channel = roomChannel(to.roomId)
    const people = new Set(this.#portalsWith(channel, to).map(({ accountId }) => accountId))
    if (people.size === 0) return
    const { event } = JSON.parse(body) as { event: string }
    const recipients = await this.#recipients.read({ ...to, event, botReaders: [] }, [...people])
    // Again, because some may have been closed since, or show other rooms now.
    const portals = this.#portalsWith(channel, to).filter(({ accountId }) => recipients.has(accountId))
    const connections = portals.map(({ connection }) => connection)
    this.#sendEphemeral(connections, body, channel)
  }

  /** The portals that show a room of a channel, and whose person is a member of it. */
  #portalsWith(
    room: string,
    { channelId, except }: RoomRecipients,
  ): { readonly connection: Connection; readonly accountId: string }[] {
    return [...this.openRooms.portalsWith(room)].flatMap((connection) => {
      const accountId = connection.receiver?.accountId
      if (accountId === undefined || accountId === except) return []
      return this.#channelsOf.get(connection)?.has(channelId) ? [{ connection, accountId }] : []
    })
  }

  /** How many portals each person has open, if there are at least so many. */
  peopleWith(atLeast: number): Map<string, number> {
    const counts = new Map<string, number>()
    for (const [accountId, { size }] of this.#byAccount) if (size >= atLeast) counts.set(accountId, size)
    return counts
  }

  /** Whether anyone has a portal open in this process. */
  get hasPeople(): boolean {
    return this.#people > 0
  }

  /** Everyone with an open portal in this process. */
  peopleHere(): Set<string> {
    const receivers = [...this.#connections].flatMap(({ receiver }) => receiver ?? [])
    return new Set(receivers.flatMap(({ kind, accountId }) => (kind === 'person' ? [accountId] : [])))
  }

  /** The same, to all connected members of a channel. */
  passToChannel(channelId: string, body: string): void {
    const connections = [...(this.#live.get(channelId) ?? [])]
    this.#sendEphemeral(
      connections.filter(({ receiver }) => receiver?.kind === 'person'),
      body,
    )
  }

  #sendEphemeral(connections: readonly Connection[], body: string, channel?: string): void {
    const frames = new Map<Codec, Buffer>()
    for (const connection of connections) {
      const { codec, receiver } = connection
      if (!receiver) continue
      const frame =
        frames.get(codec) ?? wholeFrame(codec.push(channel ?? receiver.channel, { data: body }), codec.binary)
      frames.set(codec, frame)
      connection.sendEphemeral(frame)
    }
  }

  async #deliver(events: readonly LoggedEvent[]): Promise<void> {
    for (let next = 0; next < events.length; next += MOST_HELD) {
      try {
        await this.#deliverSome(events.slice(next, next + MOST_HELD))
      } finally {
        this.#flush()
      }
    }
  }

  async #deliverSome(events: readonly LoggedEvent[]): Promise<void> {
    for (const event of events) {
      // Before receivers are selected: a connection that goes live during the wait below reads this event from the log.
      this.#position = event.seq
      this.#lag.observe((Date.now() - Date.parse(event.createdAt)) / 1000)
      const isForPortals = event.audience === 'portal'
      if (isForPortals && event.event === memberJoined.event) await this.#noteChange(event, true)
      if (event.event === channelChanged.event) this.#recipients.channelChanged(event.channelId)
      const connections = this.#live.get(event.channelId)
      if (connections) {
        const people = this.#recipients.isForAll(event) ? undefined : await this.#findRecipients(event, connections)
        this.#send(event, connections, people)
      }
      // Afterwards, so that a leaving member still receives the event.
      if (isForPortals && event.event === memberLeft.event) await this.#noteChange(event, false)
    }
  }

  /** `people`: those who may receive it; undefined: all of them. */
  #send(event: LoggedEvent, connections: ReadonlySet<Connection>, people: ReadonlySet<string> | undefined): void {
    const frames = new Map<Codec, Map<string, Buffer>>()
    for (const connection of connections) {
      const { receiver } = connection
      if (!receiver?.wants(event)) continue
      if (people && receiver.kind === 'person' && !people.has(receiver.accountId)) continue
      this.#held.add(connection)
      connection.deliver(event.seq, frameFor(frames, connection, event))
    }
  }

  #flush(): void {
    const join = sharedJoin()
    for (const connection of this.#held) connection.release(join)
    this.#held.clear()
  }

  async #findRecipients(event: LoggedEvent, connections: ReadonlySet<Connection>): Promise<ReadonlySet<string>> {
    const people = new Set<string>()
    for (const { receiver } of connections) if (receiver?.kind === 'person') people.add(receiver.accountId)
    const cached = this.#recipients.cached(event, [...people])
    if (cached) return cached
    // Runs in the background.
    this.#flush()
    return this.#recipients.read(event, [...people])
  }

  async #noteChange({ channelId, body }: LoggedEvent, joined: boolean): Promise<void> {
    const { data } = JSON.parse(body) as { data: { userId: string } }
    for (const connection of this.connectionsOf(data.userId)) {
      // While they are followed for it, nothing later is delivered.
      if (joined && this.#isSubscribed(connection)) await this.#follow(connection, [channelId])
      if (!joined) this.#leave(connection, channelId)
      this.#changes.get(connection)?.push({ channelId, joined })
      const channels = this.#channelsOf.get(connection)
      if (!channels) continue
      if (joined) {
        channels.add(channelId)
        put(this.#live, channelId, connection)
      } else {
        channels.delete(channelId)
        take(this.#live, channelId, connection)
      }
    }
  }

  #isSubscribed(connection: Connection): boolean {
    return this.#changes.has(connection) || this.#channelsOf.has(connection)
  }

  /** Until the connection is paused. Returns the position after which all of these channels' events are delivered. */
  #follow(connection: Connection, channelIds: readonly string[]): Promise<number> {
    let followed = this.#followed.get(connection)
    if (!followed) this.#followed.set(connection, (followed = new Set()))
    const added = new Set(channelIds).difference(followed)
    for (const channelId of added) followed.add(channelId)
    return this.#eventLog.follow([...added])
  }

  #leave(connection: Connection, channelId: string): void {
    if (this.#followed.get(connection)?.delete(channelId)) this.#eventLog.leave([channelId])
  }
}

/** Encoded once for all receivers with the same codec. */
function frameFor(
  frames: Map<Codec, Map<string, Buffer>>,
  { codec, receiver }: Connection,
  event: LoggedEvent,
): Buffer {
  const channel = receiver?.channel ?? ''
  const botId = receiver?.kind === 'bot' ? receiver.accountId : ''
  const key = event.forBots?.[botId] ? botId : channel
  let byChannel = frames.get(codec)
  if (!byChannel) frames.set(codec, (byChannel = new Map()))
  let frame = byChannel.get(key)
  if (frame === undefined) {
    const data = receiver?.kind === 'person' ? bodyForPeople(event) : bodyForBot(event, botId)
    frame = wholeFrame(codec.push(channel, { data, offset: event.seq }), codec.binary)
    byChannel.set(key, frame)
  }
  return frame
}

function put<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const set = map.get(key)
  if (set) set.add(value)
  else map.set(key, new Set([value]))
}

function take<K, V>(map: Map<K, Set<V>>, key: K, value: V): boolean {
  const set = map.get(key)
  const taken = set?.delete(value) ?? false
  if (set?.size === 0) map.delete(key)
  return taken
}
