/**
 * Replies to `/hello`.
 *
 *     PORTICO_URL=http://localhost:3000 PORTICO_KEY=portico_bot_… node examples/hello.ts
 *
 * Scopes of its key: commands, events, messages:write.
 */
import { Bot } from '@portico/sdk'

const { PORTICO_URL: url = 'http://localhost:3000', PORTICO_KEY: key } = process.env
const bot = new Bot({ url, key })
bot.command('/hello', { description: 'Says hello' }, (ctx) => ctx.reply(`Hello, **${ctx.author.name}**!`))
await bot.run()
