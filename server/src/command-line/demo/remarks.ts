import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@portico/sdk'

interface Talk {
  readonly client: Client
  readonly botId: string
  readonly channelId: string
  readonly roomId: string
  readonly remarks: readonly (() => string)[]
  readonly everyMs: number
  readonly signal: AbortSignal
}

/**
 * Says something now and then, until it is aborted. Only if someone else has written since the bot last spoke: alone, it is
 * silent.
 */
export async function talk(options: Talk): Promise<void> {
  const { client, botId, channelId, roomId, remarks, everyMs, signal } = options
  for (let turn = 0; ;) {
    await sleep(everyMs, undefined, { signal, ref: false })
    const { messages } = await client.listMessages({ channelId, roomId, limit: 1 }, { signal })
    if (messages[0]?.author.id === botId) continue
    const text = remarks[turn++ % remarks.length]?.() ?? ''
    await client.sendMessage({ channelId, roomId, text }, { signal })
  }
}
