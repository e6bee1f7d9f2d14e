import { LIMITS } from '@portico/contract'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import type { Bot } from './bot.ts'
import { expectRefusal } from './expect-refusal.ts'
import type { Answer } from './person.ts'

interface Written {
  readonly answer: Answer
  /** In milliseconds. */
  readonly took: number
}

interface WritersOptions {
  readonly bot: Bot
  readonly room: { readonly id: string; readonly channelId: string }
  /** The nodes that they write to, in turns. */
  readonly urls: readonly string[]
  readonly count: number
}

/** How long, in milliseconds, an answer may take after its deadline, on a machine that is never late. */
const TOLERANCE = 2000
const PROBE_INTERVAL = 100

/** Programs that send one message after the other without any pause, and repeat nothing. */
export function startTightWriters({ bot, room: { id, channelId }, urls, count }: WritersOptions) {
  const written: Written[] = []
  const broken: unknown[] = []
  const end = new AbortController()
  onTestFinished(() => end.abort())
  const write = async (url: string, text: string): Promise<void> => {
    const start = performance.now()
    try {
      const answer = await send(url, bot.key, `/rooms/${id}/messages`, { channelId, text })
      written.push({ answer, took: performance.now() - start })
    } catch (error) {
      broken.push(error)
      // Nothing listens there anymore.
      await sleep(PROBE_INTERVAL)
    }
  }
  const writing = Array.from({ length: count }, async (_, who) => {
    for (let round = 0; !end.signal.aborted; round += 1) {
      await write(urls[(who + round) % urls.length] ?? '', `${who} ${round}`)
    }
  })
  let lag = 0
  const probing = urls.map(async (url) => {
    while (!end.signal.aborted) {
      const start = performance.now()
      await fetch(`${url}/healthz`).catch(() => undefined)
      lag = Math.max(lag, performance.now() - start)
      await sleep(PROBE_INTERVAL)
    }
  })
  const answered = (status: number): number => written.filter(({ answer }) => answer.status === status).length

  return {
    answered,
    /** Stops writing. Everything was answered as the contract says, and in time: no later than a node that did nothing else. */
    async expectContract(): Promise<void> {
      end.abort()
      await Promise.all([...writing, ...probing])
      expect(broken).toEqual([])
      const late = written.filter(({ took }) => took > LIMITS.requestDeadline * 1000 + TOLERANCE + lag)
      expect(late.map(({ took }) => took)).toEqual([])
      for (const { answer } of written) {
        if (answer.status !== 201) expectRefusal(answer, 'timeout')
        for (const name of ['limit', 'remaining']) expect(answer.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/)
      }
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
