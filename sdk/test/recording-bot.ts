/** A bot that writes down what it handles, for tests that kill or displace it: `node recording-bot.ts <url> <key> <folder>`. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Bot, filePositions } from '../src/index.ts'

const [url = '', key = '', folder = ''] = process.argv.slice(2)
const bot = new Bot({ url, key, positions: filePositions(join(folder, 'position.json')) })
bot.on('message.created', async ({ id, data }) => {
  // Handling takes a moment, so that it can be interrupted.
  await sleep(Math.random() * 4)
  appendFileSync(join(folder, 'handled.txt'), `${id} ${data.message.text}\n`)
})
bot.on('disconnected', (reason) => console.log('disconnected', reason))
bot.onError((error) => console.log(String(error)))
await bot.start()
console.log('started')
