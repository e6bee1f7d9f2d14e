import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { openSocket, type SocketClient } from '../events/open-socket.ts'
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

const agent = new Agent({ keepAlive: true, maxSockets: 200 })
const sockets: Socket[] = []
const sentAt = new Map<number, number>()
let start: Start
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
  if (sockets.length === 0) {
    for (const token of community.tokens) {
      await openSocket(port, { headers: '', frames: subscribing({ token }, 'events') }, () => {})
    }
  }
  while (sockets.length < wanted) {
    const next = community.people.slice(sockets.length, Math.min(wanted, sockets.length + AT_ONCE))
    sockets.push(...(await Promise.all(next.map(({ cookie }) => openSocket(port, clientOf(cookie), receive)))))
  }
  online = community.people.slice(0, sockets.length)
  return sockets.length
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
  setTimeout(() => keepDoing(activity, next), next - performance.now())
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
    const { messages = [] } = await call(person, 'history', 'GET', `${at}/messages?${query}&limit=50`)
    const newest = messages[0]?.id
    if (newest !== undefined) await call(person, 'read', 'PUT', `${at}/read`, { messageId: newest })
  } else if (activity === 'react') {
    const { messages = [] } = await call(person, 'history', 'GET', `${at}/messages?${query}&limit=50`)
    const message = messages[0]?.id
    if (message !== undefined) {
      await call(person, 'react', 'POST', `${at}/messages/${message}/reactions`, { channelId: channel.id, emoji: '👍' })
    }
  } else if (activity === 'search') {
    await call(person, 'search', 'GET', `/channels/${channel.id}/search?q=crate`)
  } else await call(person, 'reload', 'GET', `/opening?${query}&roomId=${room}`)
}

interface Page {
  readonly messages?: readonly { readonly id: string }[]
}

/** A failure is counted, and the load goes on. */
async function call(person: SeededPerson, name: string, method: string, path: string, body?: object): Promise<Page> {
  const began = performance.now()
  const origin = `http://127.0.0.1:${start.port}`
  const sent = body && JSON.stringify(body)
  const headers = { origin, cookie: person.cookie, ...(sent !== undefined && { 'content-type': 'application/json' }) }
  return new Promise((resolve) => {
    const failed = (why: unknown): void => {
      counts.failures += 1
      if (counts.failures <= 3) console.error(`${method} ${path}:`, why)
      resolve({})
    }
    const asked = request(`${origin}/portal/v1${path}`, { method, agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', failed)
      response.once('end', () => {
        const { statusCode = 0 } = response
        const text = Buffer.concat(chunks).toString()
        if (statusCode >= 300) return failed(`${statusCode} ${text}`)
        if (measuring) {
          counts.requests += 1
          const took = answers.get(name)
          if (took) took.push(performance.now() - began)
          else answers.set(name, [performance.now() - began])
        }
        resolve(name === 'history' ? (JSON.parse(text) as Page) : {})
      })
    })
    asked.once('error', failed)
    asked.end(sent)
  })
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
