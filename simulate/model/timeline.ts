import { changesOf, newRoom } from './changes.ts'
import type { ChannelState, RoomState, Span, Verdict } from './channel-state.ts'
import { isDone, type Exchange } from './exchanges.ts'

/** From this time on, the channel was in one of these states. */
interface Segment {
  readonly from: number
  readonly states: readonly ChannelState[]
}

/** An answer that also means that the same request, whose answer was lost, had been carried out. */
const DONE_BEFORE = new Set(['kick', 'leave', 'deleteRoom', 'deleteRole', 'uninstall'])

/**
 * The states of all channels through time. Changes of a channel follow each other, so at any time it is in the state before or
 * after the current one. What a lost answer leaves open stays open until the repeated request is answered.
 */
export class Timeline {
  readonly #channels = new Map<string, Segment[]>()

  constructor(exchanges: readonly Exchange[]) {
    const bots = botsOf(exchanges)
    const changes = changesOf((applicationId) => bots.get(applicationId) ?? '')
    for (const exchange of exchanges) {
      if (exchange.operation === 'createChannel') this.#create(exchange)
      const { channelId } = exchange.args as { channelId?: string }
      const segments = this.#channels.get(channelId ?? '')
      if (!segments) continue
      const last = segments.at(-1)
      if (!last) continue
      if (exchange.operation === 'listRoles' || exchange.operation === 'listRooms') {
        this.#learn(segments, exchange)
        continue
      }
      const change = changes[exchange.operation]
      if (!change || exchange.end === exchange.at) continue
      const before = last.states
      const apply = (state: ChannelState): ChannelState => change(state, exchange, exchange.args as never)
      const isCreation = exchange.operation === 'createRoom' || exchange.operation === 'createRole'
      if (isDone(exchange)) {
        const after = distinct(before.map(apply))
        segments.push(
          { from: exchange.at, states: distinct([...before, ...after]) },
          { from: exchange.end, states: after },
        )
      } else if (exchange.status === undefined) {
        // What was created has an id that nobody knows yet: the next list tells.
        if (!isCreation) segments.push({ from: exchange.at, states: distinct([...before, ...before.map(apply)]) })
      } else if (before.length > 1 && exchange.status !== 504 && DONE_BEFORE.has(exchange.operation)) {
        segments.push({ from: exchange.end, states: distinct(before.map(apply)) })
      }
    }
  }

  get channelIds(): string[] {
    return [...this.#channels.keys()]
  }

  /** The verdict if it is the same in all states that the channel may have been in. */
  ask(channelId: string, during: Span, question: (state: ChannelState) => Verdict | boolean): Verdict {
    const verdicts = new Set(this.statesOf(channelId, during).map((state) => verdictOf(question(state))))
    const [only = 'unsure'] = verdicts
    return verdicts.size === 1 ? only : 'unsure'
  }

  statesOf(channelId: string, { from, to }: Span): ChannelState[] {
    const segments = this.#channels.get(channelId) ?? []
    const states = segments.flatMap((segment, position) => {
      const end = segments[position + 1]?.from ?? Infinity
      return segment.from <= to && end >= from ? segment.states : []
    })
    return states
  }

  /** The time from which on the verdict may differ from the one at `from`. */
  holdsUntil(channelId: string, from: number, question: (state: ChannelState) => boolean): number {
    const segments = this.#channels.get(channelId) ?? []
    for (const [position, segment] of segments.entries()) {
      const end = segments[position + 1]?.from ?? Infinity
      if (end < from) continue
      if (!segment.states.every(question)) return segment.from
    }
    return Infinity
  }

  #create(exchange: Exchange): void {
    if (!isDone(exchange)) return
    const { id } = exchange.body as { id: string }
    const owner = { roleIds: new Set<string>(), isBot: false }
    const state: ChannelState = {
      ownerId: exchange.actor.id,
      roles: [],
      members: new Map([[exchange.actor.id, owner]]),
      rooms: new Map(),
      banned: new Set(),
      mutesOfOthers: new Map(),
    }
    this.#channels.set(id, [{ from: exchange.end, states: [state] }])
  }

  /** Rooms and roles that a channel begins with, or whose creation got no answer. The owner sees all of them. */
  #learn(segments: Segment[], exchange: Exchange): void {
    const last = segments.at(-1)
    if (!last || !isDone(exchange)) return
    const { rooms = [], roles = [] } = exchange.body as { rooms?: ListedRoom[]; roles?: ListedRole[] }
    const learned = last.states.map((state) => {
      if (exchange.actor.id !== state.ownerId) return state
      const newRooms = rooms.filter(({ id }) => !state.rooms.has(id))
      const newRoles = roles.filter(({ id }) => state.roles.every((role) => role.id !== id))
      if (newRooms.length === 0 && newRoles.length === 0) return state
      const known = new Map(state.rooms)
      for (const { id, name, type, private: isPrivate } of newRooms)
        known.set(id, newRoom(name, type, isPrivate === true))
      const order = newRoles.length === 0 ? state.roles : mergeRoles(state, roles)
      return { ...state, rooms: known, roles: order }
    })
    if (learned.some((state, position) => state !== last.states[position])) {
      segments.push({ from: exchange.at, states: learned })
    }
  }
}

interface ListedRoom {
  readonly id: string
  readonly name: string
  readonly type: RoomState['type']
  readonly private?: boolean
}

interface ListedRole {
  readonly id: string
  readonly systemName: string
  readonly rights: readonly string[]
}

/** In the listed order, highest first, with what is already known of each. */
function mergeRoles(state: ChannelState, listed: readonly ListedRole[]): ChannelState['roles'] {
  return listed.map(({ id, systemName, rights }) => {
    return state.roles.find((role) => role.id === id) ?? { id, systemName, rights: new Set(rights) }
  })
}

function botsOf(exchanges: readonly Exchange[]): Map<string, string> {
  const bots = new Map<string, string>()
  for (const exchange of exchanges) {
    if (exchange.operation !== 'createApplication' || !isDone(exchange)) continue
    const { id, bot } = exchange.body as { id: string; bot: { id: string } }
    bots.set(id, bot.id)
  }
  return bots
}

/** Without states that say the same. */
function distinct(states: readonly ChannelState[]): ChannelState[] {
  return [...new Map(states.map((state) => [contentOf(state), state])).values()]
}

const contents = new WeakMap<ChannelState, string>()

function contentOf(state: ChannelState): string {
  const known = contents.get(state)
  if (known !== undefined) return known
  const content = JSON.stringify(state, (_, value: unknown) => {
    if (value instanceof Set) return [...value].toSorted()
    return value instanceof Map ? [...value].toSorted(([a], [b]) => (a < b ? -1 : 1)) : value
  })
  contents.set(state, content)
  return content
}

function verdictOf(answer: Verdict | boolean): Verdict {
  return typeof answer === 'string' ? answer : answer ? 'yes' : 'no'
}
