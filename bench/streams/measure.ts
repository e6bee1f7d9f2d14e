import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds, postgresSeconds } from '../api/cpu-time.ts'
import type { Portico } from '../api/start-portico.ts'
import { KeepAlive } from '../community/keep-alive.ts'
import { openSocket } from '../events/open-socket.ts'
import type { Seeded, WrittenMessage } from './seed.ts'

/** In milliseconds: just below ten a second, so that what arrives late isn't too much with what comes next. */
const APPEND_EVERY = 104
/** Marks the number of an append; occurs nowhere else. */
const MARKED = /#(\d{7})/g

interface Percentiles {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface Measured {
  readonly appendsPerSecond: number
  /** What all portals together were sent. */
  readonly updatesPerSecond: number
  /** Appends that the quota refused at first. */
  readonly refused: number
  /** Milliseconds from the request to its answer. */
  readonly answered: Percentiles
  /** Milliseconds from the request until a portal has the text: once for every portal that shows the room. */
  readonly shown: Percentiles
  /** Shares of one core. */
  readonly cpu: { readonly portico: number; readonly postgres: number; readonly load: number }
}

export async function measure(portico: Portico, { messages, portals }: Seeded, seconds: number): Promise<Measured> {
  const { port } = portico
  const sentAt: number[] = []
  const shown: number[] = []
  const answered: number[] = []
  let updates = 0
  let refused = 0
  const receive = (payload: Buffer): void => {
    const now = performance.now()
    const text = payload.toString()
    if (!text.includes('message.appended')) return
    updates += 1
    for (const [, number] of text.matchAll(MARKED)) shown.push(now - (sentAt[Number(number)] ?? now))
  }
  // In batches: the queue of connections waiting to be accepted is short.
  for (let next = 0; next < portals.length; next += 50) {
    await Promise.all(
      portals.slice(next, next + 50).map(({ cookie, roomId }) =>
        openSocket(
          port,
          {
            headers: `Cookie: ${cookie}\r\nOrigin: http://127.0.0.1\r\n`,
            frames: [
              JSON.stringify({ id: 1, connect: {} }),
              JSON.stringify({ id: 2, subscribe: { channel: 'portal' } }),
              JSON.stringify({ id: 3, subscribe: { channel: `room:${roomId}` } }),
            ],
          },
          receive,
        ),
      ),
    )
  }
  await sleep(1000)
  const http = new KeepAlive(port)
  const before = await cpuTimes(portico)
  const began = performance.now()
  const write = async (message: WrittenMessage, index: number): Promise<void> => {
    let { position } = message
    // Not all at the same moment.
    let due = began + (index / messages.length) * APPEND_EVERY
    while (due < began + seconds * 1000) {
      await sleep(Math.max(0, due - performance.now()))
      const text = ` #${String(sentAt.length).padStart(7, '0')}`
      const start = performance.now()
      sentAt.push(start)
      while (!(await append(http, { ...message, position }, text))) {
        refused += 1
        await sleep(APPEND_EVERY)
      }
      answered.push(performance.now() - start)
      position += text.length
      due = Math.max(due, start) + APPEND_EVERY
    }
  }
  await Promise.all(messages.map(write))
  const took = (performance.now() - began) / 1000
  const after = await cpuTimes(portico)
  const share = (part: keyof Measured['cpu']): number => Math.round(((after[part] - before[part]) / took) * 100) / 100
  await sleep(1000)
  const perPortal = portals.length / messages.length
  const missing = sentAt.length * perPortal - shown.length
  if (missing !== 0) throw new Error(`${missing} appends were not shown in a portal, or twice`)
  return {
    appendsPerSecond: Math.round(sentAt.length / took),
    updatesPerSecond: Math.round(updates / took),
    refused,
    answered: percentiles(answered),
    shown: percentiles(shown),
    cpu: { portico: share('portico'), postgres: share('postgres'), load: share('load') },
  }
}

/** Seconds of CPU time that have been used so far. */
async function cpuTimes({ pid, dataFolder }: Portico): Promise<Measured['cpu']> {
  const [portico, postgres, load] = [cpuSeconds(pid), postgresSeconds(dataFolder), cpuSeconds(process.pid)]
  return { portico: (await portico) ?? NaN, postgres: (await postgres) ?? NaN, load: (await load) ?? NaN }
}

/** Whether it was accepted. */
async function append(
  http: KeepAlive,
  { key, channelId, roomId, messageId, position }: WrittenMessage,
  text: string,
): Promise<boolean> {
  const body = JSON.stringify({ channelId, position, text })
  const { status } = await http.send(
    `POST /api/v1/rooms/${roomId}/messages/${messageId}/append HTTP/1.1\r\nhost: 127.0.0.1\r\n` +
      `authorization: Bot ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  if (status !== 200 && status !== 429) throw new Error(`an append was answered ${status}`)
  return status === 200
}

function percentiles(times: number[]): Percentiles {
  times.sort((a, b) => a - b)
  const at = (share: number): number => Math.round((times[Math.floor((times.length - 1) * share)] ?? 0) * 10) / 10
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}
