import { changesOf } from './changes.ts'
import type { ChannelState, Span, Verdict } from './channel-state.ts'
import { isDone, type Exchange } from './exchanges.ts'
import type { Faults } from './fault-spans.ts'
import { agrees, learn } from './listings.ts'
import { slicesOf, type Possible, type Slice } from './orders.ts'
import { Track, type Range } from './track.ts'

type Segment = Slice<ChannelState>

/** More possible states than this are not followed: nothing is certain about the channel until fewer are possible. */
const MOST_STATES = 300

/** A listing that no possible state agrees with. */
export interface Contradiction {
  readonly exchange: Exchange
  readonly channelId: string
}

/**
 * The states of all channels through time. While changes overlap, every order of them is possible; what a lost answer leaves open
 * stays open until a later listing shows what became of it.
 */
export class Timeline {
  readonly #channels = new Map<string, Segment[]>()
  readonly #rooms = new Map<string, string>()
  readonly #tracks = new Map<string, Track>()
  /** The lists that contradict all that was acknowledged. */
  readonly contradictions: Contradiction[] = []
  /** How many lists agreed with the model. */
  agreements = 0

  constructor(exchanges: readonly Exchange[], faults: Faults) {
    const bots = botsOf(exchanges)
    const owned = applicationsByOwner(exchanges)
    const of = (applicationId: string): string => bots.get(applicationId) ?? ''
    const changes = changesOf({ of, ownedBy: (ownerId) => (owned.get(ownerId) ?? []).map(of) }, faults)
    const byChannel = new Map<string, Exchange[]>()
    for (const exchange of exchanges) {
      if (exchange.operation === 'createChannel' && isDone(exchange)) {
        byChannel.set((exchange.body as { id: string }).id, [])
        this.#create(exchange)
      } else if (exchange.operation === 'deleteApplication') {
        // With it goes its bot, from all channels.
        for (const own of byChannel.values()) own.push(exchange)
      } else byChannel.get(String(exchange.args['channelId']))?.push(exchange)
    }
    for (const [channelId, own] of byChannel) this.#follow(channelId, own, changes, faults)
  }

  get channelIds(): string[] {
    return [...this.#channels.keys()]
  }

  /** For which share of the time until then something is known about the channels. */
  knownShare(until: number): number {
    let [known, all] = [0, 0]
    for (const segments of this.#channels.values()) {
      for (const [position, { from, states }] of segments.entries()) {
        const lasts = Math.max(0, Math.min(segments[position + 1]?.from ?? until, until) - from)
        all += lasts
        if (states.length > 0) known += lasts
      }
    }
    return all === 0 ? 1 : known / all
  }

  /** Undefined for a room that nobody has created or listed. */
  channelOf(roomId: string): string | undefined {
    return this.#rooms.get(roomId)
  }

  /** The verdict if it is the same in all states that the channel may have been in. */
  ask(channelId: string, during: Span, question: (state: ChannelState) => Verdict | boolean): Verdict {
    let only: Verdict | undefined
    for (const { states } of this.#segmentsOf(channelId, during)) {
      const verdict = verdictIn(states, question)
      if (verdict === 'unsure' || (only !== undefined && only !== verdict)) return 'unsure'
      only = verdict
    }
    return only ?? 'unsure'
  }

  /** Every state that the channel may have been in at some time of the span. */
  *statesOf(channelId: string, during: Span): Generator<ChannelState> {
    for (const { states } of this.#segmentsOf(channelId, during)) yield* states
  }

  *#segmentsOf(channelId: string, { from, to }: Span): Generator<Segment> {
    const segments = this.#channels.get(channelId) ?? []
    for (let position = Math.max(0, positionAt(segments, from)); position < segments.length; position += 1) {
      const segment = segments[position]
      if (!segment || segment.from > to) return
      yield segment
    }
  }

  /** The answer to a question through all time. For questions that are asked often; the name distinguishes them. */
  track(channelId: string, name: string, question: (state: ChannelState) => Verdict | boolean): Track {
    const key = `${channelId} ${name}`
    let track = this.#tracks.get(key)
    if (!track) this.#tracks.set(key, (track = new Track(rangesOf(this.#channels.get(channelId) ?? [], question))))
    return track
  }

  /** Whether someone was a member. */
  membership(channelId: string, who: string): Track {
    return this.track(channelId, `member ${who}`, ({ members }) => members.has(who))
  }

  /** Whether a room was there. */
  existence(channelId: string, roomId: string): Track {
    return this.track(channelId, `room ${roomId}`, ({ rooms }) => rooms.has(roomId))
  }

  #create(exchange: Exchange): void {
    const { id } = exchange.body as { id: string }
    const state: ChannelState = {
      ownerId: exchange.actor.id,
      roles: [],
      members: new Map([[exchange.actor.id, { roleIds: new Set<string>(), isBot: false }]]),
      rooms: new Map(),
      deletedRooms: new Set(),
      banned: new Set(),
      mutesOfOthers: new Map(),
    }
    this.#channels.set(id, [{ from: exchange.end, states: [state] }])
  }

  #follow(
    channelId: string,
    exchanges: readonly Exchange[],
    changes: ReturnType<typeof changesOf>,
    faults: Faults,
  ): void {
    const segments = this.#channels.get(channelId) ?? []
    let group: Possible<ChannelState>[] = []
    let busyUntil = -Infinity
    let lists: Exchange[] = []
    const settle = (): void => {
      if (group.length === 0) return
      const slices = slicesOf(segments.at(-1)?.states ?? [], group, distinct)
      segments.push(...slices.map(({ from, states }) => ({ from, states: states.length > MOST_STATES ? [] : states })))
      group = []
    }
    const observe = (): void => {
      for (const list of lists) if (list.at > busyUntil) this.#observe(channelId, segments, list)
      lists = []
    }
    for (const exchange of exchanges) {
      if (LISTS.has(exchange.operation) && isDone(exchange)) {
        if (exchange.at > busyUntil) settle()
        this.#learn(channelId, segments, exchange, group)
        lists.push(exchange)
        continue
      }
      const possible = possibleOf(exchange, changes, faults)
      if (!possible) continue
      // Lists that were answered before this change show what is possible.
      lists = lists.filter((list) => list.end < possible.from)
      if (possible.from > busyUntil) {
        settle()
        observe()
      }
      group.push(possible)
      busyUntil = Math.max(busyUntil, possible.to)
      lists = []
      if (exchange.operation === 'createRoom' && isDone(exchange)) {
        this.#rooms.set((exchange.body as { id: string }).id, channelId)
      }
    }
    settle()
    observe()
  }

  /** Rooms and roles that a channel begins with, or whose creation got no answer. */
  #learn(channelId: string, segments: Segment[], list: Exchange, group: Possible<ChannelState>[]): void {
    const apply = (state: ChannelState): ChannelState => learn(state, list)
    for (const { id } of (list.body as { rooms?: { id: string }[] }).rooms ?? []) this.#rooms.set(id, channelId)
    const last = segments.at(-1)
    if (!last || last.states.every((state) => apply(state) === state)) return
    if (group.length > 0) group.push({ from: list.at, to: list.at, isSure: true, apply })
    else segments.push({ from: list.at, states: distinct(last.states.map(apply)) })
  }

  /** Keeps only the states that a list agrees with. */
  #observe(channelId: string, segments: Segment[], list: Exchange): void {
    const last = segments.at(-1)
    if (!last || last.from > list.at || last.states.length === 0) return
    const left = last.states.filter((state) => agrees(state, list))
    if (left.length === 0) this.contradictions.push({ exchange: list, channelId })
    else {
      this.agreements += 1
      if (left.length < last.states.length) segments.push({ from: list.end, states: left })
    }
  }
}

const LISTS: ReadonlySet<string> = new Set(['listRoles', 'listRooms', 'listMembers'])

/** Undefined for what changes nothing, or was refused. */
function possibleOf(
  exchange: Exchange,
  changes: ReturnType<typeof changesOf>,
  faults: Faults,
): Possible<ChannelState> | undefined {
  const change = changes[exchange.operation]
  if (!change || (exchange.status !== undefined && !isDone(exchange))) return undefined
  const isSure = isDone(exchange)
  // What was created has an id that nobody knows yet: the next list shows it.
  if (!isSure && (exchange.operation === 'createRoom' || exchange.operation === 'createRole')) return undefined
  const apply = (state: ChannelState): ChannelState => change(state, exchange, exchange.args as never)
  const name = JSON.stringify([exchange.operation, exchange.actor.id, exchange.args])
  return { from: exchange.at, to: faults.latestEffect(exchange), isSure, name, apply }
}

/** The last segment that begins before this time; -1 if all begin later. */
function positionAt(segments: readonly Segment[], time: number): number {
  let [low, high] = [0, segments.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((segments[middle]?.from ?? Infinity) < time) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The bot of each application. */
export function botsOf(exchanges: readonly Exchange[]): Map<string, string> {
  const bots = new Map<string, string>()
  for (const exchange of exchanges) {
    if (exchange.operation !== 'createApplication' || !isDone(exchange)) continue
    const { id, bot } = exchange.body as { id: string; bot: { id: string } }
    bots.set(id, bot.id)
  }
  return bots
}

/** The applications that each person has created. */
export function applicationsByOwner(exchanges: readonly Exchange[]): Map<string, string[]> {
  const owned = new Map<string, string[]>()
  for (const exchange of exchanges) {
    if (exchange.operation !== 'createApplication' || !isDone(exchange)) continue
    const { id } = exchange.body as { id: string }
    owned.set(exchange.actor.id, [...(owned.get(exchange.actor.id) ?? []), id])
  }
  return owned
}

/** Without states that say the same. */
function distinct(states: readonly ChannelState[]): ChannelState[] {
  const [only] = states
  if (only && states.length === 1) return [only]
  return [...new Map(states.map((state) => [contentOf(state), state])).values()]
}

/** What objects say. States share most of their members and rooms, so each is put into words once. */
const contents = new WeakMap<object, string>()

function contentOf(object: object): string {
  const known = contents.get(object)
  if (known !== undefined) return known
  const content = describe(object)
  contents.set(object, content)
  return content
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `${typeof value} ${String(value)}`
  if (Array.isArray(value)) return `[${value.map(partOf).join()}]`
  if (value instanceof Set) return `{${[...value].map(partOf).toSorted().join()}}`
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  return `{${entries
    .map(([key, part]) => `${String(key)}:${partOf(part)}`)
    .toSorted()
    .join()}}`
}

const numbers = new Map<string, number>()

/** A number instead of the whole content: equal for parts that say the same. */
function partOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return describe(value)
  const content = contentOf(value)
  let number = numbers.get(content)
  if (number === undefined) numbers.set(content, (number = numbers.size))
  return `#${number}`
}

function* rangesOf(
  segments: readonly Segment[],
  question: (state: ChannelState) => Verdict | boolean,
): Generator<Range> {
  for (const { from, states } of segments) yield { from, verdict: verdictIn(states, question) }
}

/** Unsure if there is no state that is known, or if they differ. */
function verdictIn(states: readonly ChannelState[], question: (state: ChannelState) => Verdict | boolean): Verdict {
  let only: Verdict | undefined
  for (const state of states) {
    const verdict = verdictOf(question(state))
    if (only !== undefined && only !== verdict) return 'unsure'
    only = verdict
  }
  return only ?? 'unsure'
}

function verdictOf(answer: Verdict | boolean): Verdict {
  return typeof answer === 'string' ? answer : answer ? 'yes' : 'no'
}
