/** A bot that answers presses of `count`, for tests that kill it: `node pressed-bot.ts <url> <key> <folder>`. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Bot, filePositions } from '../src/index.ts'

const [url = '', key = '', folder = ''] = process.argv.slice(2)
const bot = new Bot({ url, key, positions: filePositions(join(folder, 'position.json')) })
bot.button('count', async (ctx) => {
  const components = [{ type: 'button', id: 'count', label: 'Count' } as const]
  // Handling takes a moment, so that it can be interrupted between and after its answers.
  await sleep(Math.random() * 10)
  await ctx.reply(ctx.pressId)
  await sleep(Math.random() * 10)
  await ctx.update(`Last: ${ctx.pressId}`, { components })
})
bot.onError((error) => console.log(String(error)))
await bot.start()
console.log('started')
