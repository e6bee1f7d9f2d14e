import { randomUUID } from 'node:crypto'
import { LIMITS, type Message } from '@portico/contract'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import type { Bot } from './bot.ts'
import { expectOk } from './expect-ok.ts'
import { expectRefusal } from './expect-refusal.ts'
import type { Answer } from './person.ts'

interface Written {
  readonly text: string
  readonly answer: Answer
  /** In milliseconds. */
  readonly took: number
}

interface WritersOptions {
  readonly bot: Bot
  readonly room: { readonly id: string; readonly channelId: string }
  /** The nodes that they write to, in turns. */
  readonly urls: () => readonly string[]
  readonly count: number
}

/** How long, in milliseconds, an answer may take after its deadline, on a machine that is never late. */
const TOLERANCE = 2000
const PROBE_INTERVAL = 100

/** Programs that send one message after the other without any pause, and repeat nothing. */
export function startTightWriters({ bot, room: { id, channelId }, urls, count }: WritersOptions) {
  const run = randomUUID()
  const written: Written[] = []
  const broken: { readonly url: string; readonly error: unknown }[] = []
  const end = new AbortController()
  onTestFinished(() => end.abort())
  const write = async (url: string, text: string): Promise<void> => {
    const start = performance.now()
    try {
      const answer = await send(url, bot.key, `/rooms/${id}/messages`, { channelId, text })
      written.push({ text, answer, took: performance.now() - start })
    } catch (error) {
      broken.push({ url, error })
      // Nothing listens there anymore.
      await sleep(PROBE_INTERVAL)
    }
  }
  const writing = Array.from({ length: count }, async (_, who) => {
    for (let round = 0; !end.signal.aborted; round += 1) {
      const nodes = urls()
      await write(nodes[(who + round) % nodes.length] ?? '', `${run} ${who} ${round}`)
    }
  })
  let lag = 0
  const probe = async (url: string): Promise<void> => {
    const start = performance.now()
    await fetch(`${url}/healthz`).catch(() => undefined)
    lag = Math.max(lag, performance.now() - start)
  }
  const probing = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await Promise.all(urls().map(probe))
      await sleep(PROBE_INTERVAL)
    }
  }
  const probed = probing()
  const answered = (status: number): number => written.filter(({ answer }) => answer.status === status).length

  return {
    answered,
    /**
     * Stops writing. Everything was answered as the contract says, and in time: no later than a node that did nothing else.
     * What was acknowledged is stored once, and nothing is stored twice. Only killed nodes may leave a request unanswered.
     */
    async expectContract({ killed = [] }: { readonly killed?: readonly string[] } = {}): Promise<void> {
      end.abort()
      await Promise.all([...writing, probed])
      expect(broken.filter(({ url }) => !killed.includes(url))).toEqual([])
      // A busy machine can delay a request twice: before the server reads it, and when its deadline has passed.
      const inTime = LIMITS.requestDeadline * 1000 + TOLERANCE + 2 * lag
      const late = written.filter(({ took }) => took > inTime)
      expect(late.map(({ took }) => took)).toEqual([])
      for (const { answer } of written) {
        if (answer.status !== 201) expectRefusal(answer, 'timeout')
        for (const name of ['limit', 'remaining']) expect(answer.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/)
      }
      const times = new Map<string, number>()
      for (const text of await readTexts(bot, { id, channelId })) times.set(text, (times.get(text) ?? 0) + 1)
      expect([...times].filter(([, stored]) => stored > 1)).toEqual([])
      const acknowledged = written.filter(({ answer }) => answer.status === 201)
      expect(acknowledged.filter(({ text }) => !times.has(text))).toEqual([])
    },
  }
}

async function send(url: string, key: string, path: string, body: object): Promise<Answer> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bot ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

async function readTexts(bot: Bot, { id, channelId }: WritersOptions['room']): Promise<string[]> {
  const texts: string[] = []
  for (let before = ''; ;) {
    const at = `/rooms/${id}/messages?channelId=${channelId}&limit=${LIMITS.historyPage}${before}`
    const { messages, hasMore } = expectOk(await bot.get<{ messages: Message[]; hasMore: boolean }>(at))
    texts.push(...messages.map(({ text }) => text))
    if (!hasMore) return texts
    before = `&beforeId=${messages.at(-1)?.id}`
  }
}
