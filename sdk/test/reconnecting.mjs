/**
 * A bot of the packed package that replies to `/ping`, and says when it is connected and why it isn't, on every platform:
 * `<runtime> reconnecting.mjs <url> <key>`.
 */
import { Bot } from '@portico/sdk'

const [url, key] = (globalThis.Deno?.args ?? process.argv.slice(2)).slice(-2)
const bot = new Bot({ url, key })
bot.command('/ping', { description: 'Answers' }, (ctx) => ctx.reply('pong'))
bot.on('connected', () => console.log('connected'))
bot.on('disconnected', (reason) => console.log(`disconnected: ${reason}`))
await bot.start()
