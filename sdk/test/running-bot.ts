/** A bot that runs until it is stopped or something ends it: `node running-bot.ts <url> <key> [timer]`, with a timer of its own. */
import { Bot } from '../src/index.ts'

const [url = '', key = '', timer] = process.argv.slice(2)
if (timer) setInterval(() => {}, 60_000)
const bot = new Bot({ url, key })
bot.on('message.created', () => {})
await bot.run()
