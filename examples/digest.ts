/**
 * Posts every day who wrote how much in the text rooms of each channel, first when it is started. It needs no events.
 *
 *     PORTICO_URL=http://localhost:3000 PORTICO_KEY=portico_bot_… node examples/digest.ts general
 *
 * Scopes of its key: channel:read, messages:read, messages:write.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, NotFoundError } from '@portico/sdk'

const DAY_MS = 24 * 60 * 60_000
const { PORTICO_URL: url = 'http://localhost:3000', PORTICO_KEY: key } = process.env
const [roomName = 'general'] = process.argv.slice(2)
const client = new Client({ url, key })

async function postDigest(channelId: string, since: number): Promise<void> {
  const { rooms } = await client.listRooms({ channelId })
  const textRooms = rooms.filter(({ type }) => type === 'text')
  const target = textRooms.find(({ name }) => name === roomName)
  if (!target) return
  const lines: string[] = []
  for (const { id: roomId, name } of textRooms) {
    const counts = new Map<string, number>()
    // Newest first; further pages are loaded only as far as the loop goes.
    for await (const { author, createdAt } of client.history({ channelId, roomId })) {
      if (Date.parse(createdAt) < since) break
      counts.set(author.name, (counts.get(author.name) ?? 0) + 1)
    }
    const authors = [...counts].toSorted(([, one], [, other]) => other - one)
    if (authors.length > 0) lines.push(`- ${name}: ${authors.map(([who, count]) => `${who} ${count}`).join(', ')}`)
  }
  const text = ['**The last day**', ...(lines.length > 0 ? lines : ['Nobody wrote anything.'])].join('\n')
  await client.sendMessage({ channelId, roomId: target.id, text })
}

for (;;) {
  const { bot, channels } = await client.getProfile()
  for (const { id } of channels) {
    await postDigest(id, Date.now() - DAY_MS).catch((error: unknown) => {
      // It was removed from the channel, or the room was deleted meanwhile.
      if (!(error instanceof NotFoundError)) throw error
    })
  }
  console.log(`${bot.name} has posted a digest in ${channels.length} channels`)
  await sleep(DAY_MS)
}
