import type { Socket } from 'node:net'
import { openSocket, sendFrame, type SocketClient } from '../events/open-socket.ts'
import { KeepAlive } from './keep-alive.ts'
import type { Community, SeededPerson } from './seed.ts'

/** How often a person does something, in seconds between two times on average. */
const EVERY = { send: 300, openRoom: 60, react: 600, search: 1800, reload: 1800 } as const
type Activity = keyof typeof EVERY
/** Milliseconds from the first keystroke to the message. */
const TYPING = 3000
/** Marks the number in a message; occurs nowhere else. */
const MARK = '#'
const DIGITS = 8
const AT_ONCE = 50

export interface Start {
  readonly port: number
  readonly community: Community
}

/** Lets so many people come online. */
export interface Open {
  readonly online: number
}

export interface Measure {
  readonly measureMs: number
}

export interface Observed {
  /** Milliseconds from sending a message until a member's socket has it. */
  readonly delivery: Quantiles
  readonly deliveries: number
  readonly sends: number
  readonly requests: number
  readonly failures: number
  /** Milliseconds from a request to its whole answer. */
  readonly answers: Readonly<Record<string, Quantiles>>
}

export interface Quantiles {
  readonly p50: number
  readonly p99: number
}

const sockets = new Map<SeededPerson, Socket>()
/** The room that each person's portal shows. */
const shown = new Map<SeededPerson, string>()
/** The newest message that anyone has loaded, by room. */
const newest = new Map<string, string>()
const sentAt = new Map<number, number>()
let start: Start
let http: KeepAlive
/** Begins the head of every request. */
let origin = ''
let online: readonly SeededPerson[] = []
let numbered = 0
let measuring = false
let delivered: number[] = []
let answers = new Map<string, number[]>()
let counts = { sends: 0, requests: 0, failures: 0 }

async function measure({ measureMs }: Measure): Promise<Observed> {
  delivered = []
  answers = new Map()
  counts = { sends: 0, requests: 0, failures: 0 }
  measuring = true
  await pause(measureMs)
  measuring = false
  return {
    delivery: quantiles(delivered),
    deliveries: delivered.length,
    ...counts,
    answers: Object.fromEntries([...answers].map(([name, took]) => [name, quantiles(took)])),
  }
}

async function open({ online: wanted }: Open): Promise<number> {
  const { port, community } = start
  if (sockets.size === 0) {
    for (const token of community.tokens) {
      await openSocket(port, { headers: '', frames: subscribing({ token }, 'events') }, () => {})
    }
  }
  while (sockets.size < wanted) {
    const next = community.people.slice(sockets.size, Math.min(wanted, sockets.size + AT_ONCE))
    await Promise.all(
      next.map(async (person) => {
        sockets.set(person, await openSocket(port, clientOf(person.cookie), receive))
        const { rooms } = community.channels[anyOf(person.channels)] ?? { rooms: [] }
        show(person, anyOf(rooms))
      }),
    )
  }
  online = community.people.slice(0, sockets.size)
  return sockets.size
}

/** Portals subscribe to the room that they show. */
function show(person: SeededPerson, room: string): void {
  const socket = sockets.get(person)
  const before = shown.get(person)
  if (!socket || before === room) return
  shown.set(person, room)
  const leave = before === undefined ? [] : [{ id: 3, unsubscribe: { channel: `room:${before}` } }]
  const commands = [...leave, { id: 4, subscribe: { channel: `room:${room}` } }]
  sendFrame(socket, commands.map((command) => JSON.stringify(command)).join('\n'))
}

function clientOf(cookie: string): SocketClient {
  return { headers: `Cookie: ${cookie}\r\nOrigin: http://127.0.0.1\r\n`, frames: subscribing({}, 'portal') }
}

function subscribing(connect: object, channel: string): string[] {
  return [JSON.stringify({ id: 1, connect }), JSON.stringify({ id: 2, subscribe: { channel } })]
}

function receive(payload: Buffer): void {
  const mark = payload.indexOf(MARK)
  if (mark < 0 || !measuring) return
  let message = 0
  for (let at = mark + 1; at <= mark + DIGITS; at += 1) message = message * 10 + (payload[at] ?? 0) - 48
  const began = sentAt.get(message)
  if (began !== undefined) delivered.push(performance.now() - began)
}

/** People act independently of each other, so the times between two of them are random. */
function keepDoing(activity: Activity, due = performance.now()): void {
  let next = due
  while (next <= performance.now()) {
    if (online.length > 0) void act(activity, anyOf(online))
    const people = Math.max(online.length, 1000)
    next += (-Math.log(1 - Math.random()) * EVERY[activity] * 1000) / people
  }
  setTimeout(() => keepDoing(activity, next), Math.max(0, next - performance.now()))
}

async function act(activity: Activity, person: SeededPerson): Promise<void> {
  const channel = start.community.channels[anyOf(person.channels)]
  if (!channel) return
  const room = anyOf(channel.rooms)
  const at = `/rooms/${room}`
  const query = `channelId=${channel.id}`
  if (activity === 'send') {
    await call(person, 'typing', 'POST', `${at}/typing`, {})
    await pause(TYPING)
    const number = (numbered += 1)
    sentAt.set(number, performance.now())
    setTimeout(() => sentAt.delete(number), 60_000).unref()
    const text = `${MARK}${String(number).padStart(DIGITS, '0')} Who fetches the crates from the quay this evening?`
    await call(person, 'send', 'POST', `${at}/messages`, { channelId: channel.id, text })
    if (measuring) counts.sends += 1
  } else if (activity === 'openRoom') {
    show(person, room)
    const messageId = newestIn(await call(person, 'history', 'GET', `${at}/messages?${query}&limit=50`))
    if (messageId === undefined) return
    newest.set(room, messageId)
    await call(person, 'read', 'PUT', `${at}/read`, { messageId })
  } else if (activity === 'react') {
    // People react to a message that is on their screen.
    const message = newest.get(room)
    if (message !== undefined) {
      await call(person, 'react', 'POST', `${at}/messages/${message}/reactions`, { channelId: channel.id, emoji: '👍' })
    }
  } else if (activity === 'search') {
    await call(person, 'search', 'GET', `/channels/${channel.id}/search?q=crate`)
  } else await call(person, 'reload', 'GET', `/room-page?${query}&roomId=${room}`)
}

/** A failure is counted, and the load goes on. Returns the answer. */
async function call(person: SeededPerson, name: string, method: string, path: string, body?: object): Promise<string> {
  const began = performance.now()
  const content = body ? JSON.stringify(body) : ''
  const type = body ? `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(content)}\r\n` : ''
  const head = `${method} /portal/v1${path} HTTP/1.1\r\n${origin}cookie: ${person.cookie}\r\n${type}\r\n`
  try {
    const { status, text } = await http.send(head + content)
    if (status >= 300) throw new Error(text())
    if (measuring) {
      counts.requests += 1
      const took = answers.get(name)
      if (took) took.push(performance.now() - began)
      else answers.set(name, [performance.now() - began])
    }
    return name === 'history' ? text() : ''
  } catch (error) {
    counts.failures += 1
    if (counts.failures <= 3) console.error(`${method} ${path}:`, error)
    return ''
  }
}

/** The newest message of a page, which is its first. */
function newestIn(page: string): string | undefined {
  return /"messages":\[\{"id":"([^"]+)"/.exec(page)?.[1]
}

function quantiles(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

function anyOf<T>(list: readonly T[]): T {
  const chosen = list[Math.floor(Math.random() * list.length)]
  if (chosen === undefined) throw new Error('nothing to choose from')
  return chosen
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

async function begin(order: Start): Promise<number> {
  start = order
  http = new KeepAlive(order.port)
  origin = `host: 127.0.0.1:${order.port}\r\norigin: http://127.0.0.1:${order.port}\r\n`
  for (const activity of Object.keys(EVERY)) keepDoing(activity as Activity)
  return start.community.people.length
}

process.on('message', (order: Start | Open | Measure) => {
  const carriedOut = 'community' in order ? begin(order) : 'online' in order ? open(order) : measure(order)
  carriedOut.then((answer: unknown) => process.send?.(answer), fail)
})

function fail(error: unknown): void {
  console.error(error)
  process.exit(1)
}

// The parent process is gone.
process.once('disconnect', () => process.exit())
