import type { Application } from '@portico/contract'

/** Bots with the SDK, as the pages of an application show them. A test runs each of them as it is shown. */
const begin = (url: string): string => `import { Bot } from '@portico/sdk'

const bot = new Bot({ url: '${url}', key: process.env.PORTICO_KEY })`

export function commandSample(url: string): string {
  return `${begin(url)}

bot.command('/hello', { description: 'Say hello', usage: '<name>' }, async (ctx) => {
  await ctx.reply(\`Hello, \${ctx.rest || ctx.author.name}!\`)
})

await bot.run()`
}

/** Follows the first channel of the application, or all. */
export function streamSample(url: string, { channels: [channel] }: Pick<Application, 'channels'>): string {
  const only = channel
    ? `
  if (event.channelId !== '${channel.id}') return`
    : ''
  return `${begin(url)}

bot.on('message.created', (event) => {${only}
  console.log(event.data.message.author.name, event.data.message.text)
})

await bot.run()`
}

export function webhookSample(url: string, { channels: [channel] }: Pick<Application, 'channels'>): string {
  const only = channel
    ? `
  if (event.channelId !== '${channel.id}') return`
    : ''
  return `import { createServer } from 'node:http'
import { Bot, toNodeHandler } from '@portico/sdk'

const bot = new Bot({ url: '${url}', key: process.env.PORTICO_KEY })

bot.on('message.created', (event) => {${only}
  console.log(event.data.message.author.name, event.data.message.text)
})

const handle = bot.webhook({ secret: process.env.PORTICO_WEBHOOK_SECRET })
createServer(toNodeHandler(handle)).listen(8080)
await bot.run()`
}
