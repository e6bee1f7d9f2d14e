/** A bot that replies to `/deploy` after a moment, for tests that kill it: `node replying-bot.ts <url> <key> <folder> <retries>`. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Bot, filePositions } from '../src/index.ts'

const [url = '', key = '', folder = '', retries = ''] = process.argv.slice(2)
const bot = new Bot({
  url,
  key,
  retries: Number(retries),
  positions: filePositions(join(folder, 'position.json')),
})
bot.command('/deploy', { description: 'Deploys' }, async (ctx) => {
  appendFileSync(join(folder, 'begun.txt'), `${ctx.args.join(' ')}\n`)
  await sleep(500)
  await ctx.reply(`Deployed ${ctx.args.join(' ')} at ${Date.now()}`)
})
bot.on('retry', ({ attempts }) => console.log(`retry ${attempts}`))
bot.on('disconnected', () => console.log('disconnected'))
await bot.start()
console.log('started')
