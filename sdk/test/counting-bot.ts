/**
 * A bot that counts messages in its sessions, of each author in each room and of each author in all, for tests that kill it:
 * `node counting-bot.ts <url> <key> <file>`. The file is a SQLite database if its name ends with `.db`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Bot, filePositions, sqlitePositions } from '../src/index.ts'

const [url = '', key = '', file = ''] = process.argv.slice(2)
const isDatabase = file.endsWith('.db')
const bot = new Bot({
  url,
  key,
  positions: isDatabase ? sqlitePositions(file) : filePositions(file),
  session: {
    initial: () => ({ count: 0 }),
    ...(isDatabase && { key: ({ data }) => ('message' in data ? data.message.author.id : undefined) }),
  },
})
bot.on('message.created', async ({ data }, ctx) => {
  // Handling takes a moment, so that it can be interrupted; in one room longer than in the others.
  ctx.session.count += 1
  await sleep(Math.random() * (data.message.text.startsWith('0-') ? 30 : 4))
})
bot.onError((error) => console.log(String(error)))
await bot.start()
console.log('started')
