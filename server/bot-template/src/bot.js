import { Bot } from '@portico/sdk'

/**
 * What the bot does. `main.js` runs it, and tests give it events.
 *
 * @param {import('@portico/sdk').BotOptions} options
 */
export function createBot(options) {
  const bot = new Bot(options)
  bot.command('/hello', { description: 'Says hello' }, (ctx) =>
    ctx.reply(`Hello, **${ctx.author.name}**!`, { components: [{ type: 'button', id: 'wave', label: 'Wave' }] }),
  )
  bot.button('wave', (ctx) => ctx.notice(`${ctx.author.name}, only you can see that I wave back.`))
  return bot
}
