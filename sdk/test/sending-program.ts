/** Sends messages to a room, and prints how the portal answered: `node sending-program.ts <url> <key> <channelId> <roomId> <count>`. */
import { Client } from '../src/index.ts'

const [url = '', key = '', channelId = '', roomId = '', count = ''] = process.argv.slice(2)
const statuses: number[] = []
const client = new Client({
  url,
  key,
  fetch: async (input, init) => {
    const response = await fetch(input, init)
    statuses.push(response.status)
    return response
  },
})
const texts = Array.from({ length: Number(count) }, (_, position) => `${position}`)
await Promise.all(texts.map((text) => client.sendMessage({ channelId, roomId, text })))
console.log(JSON.stringify(statuses))
