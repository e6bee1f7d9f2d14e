import { Bot, string } from '@portico/sdk'

/**
 * What the bot does. `main.js` runs it, and tests give it events.
 *
 * @param {import('@portico/sdk').BotOptions} options
 */
export function createBot(options) {
  const bot = new Bot(options)
  const name = string({ description: 'Whom to greet; you, if you leave it out' })
  bot.command('/hello', { description: 'Says hello', options: { name } }, (ctx) =>
    ctx.reply(`Hello, **${ctx.options.name ?? ctx.author.name}**!`, {
      components: [{ type: 'button', id: 'wave', label: 'Wave' }],
    }),
  )
  bot.button('wave', (ctx) => ctx.notice(`${ctx.author.name}, only you can see that I wave back.`))
  return bot
}
