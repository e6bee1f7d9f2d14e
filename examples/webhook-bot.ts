/**
 * Replies to `/ping`, and gets its events over a webhook with Hono. The portal calls it by https: put a reverse proxy in front.
 *
 *     PORTICO_URL=http://localhost:3000 PORTICO_KEY=portico_bot_… \
 *       WEBHOOK_URL=https://bot.example/portico PORT=4001 node examples/webhook-bot.ts
 *
 * Scopes of its key: commands, events, messages:write.
 */
import { serve } from '@hono/node-server'
import { Bot, toHonoHandler } from '@portico/sdk'
import { Hono } from 'hono'

const { PORTICO_URL: url = 'http://localhost:3000', PORTICO_KEY: key, WEBHOOK_URL = '', PORT = '4001' } = process.env
const bot = new Bot({ url, key })
bot.command('/ping', { description: 'Checks that the bot is there' }, (ctx) => ctx.reply('pong'))

// A new secret at every start, so that there is none to store. What was signed with the old one is sent again.
const { secret = '' } = await bot.client.setWebhook({ url: WEBHOOK_URL, rotateSecret: true })
const app = new Hono()
app.post('/portico', toHonoHandler(bot.webhook({ secret })))
await bot.start()
serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`${bot.profile.bot.name} listens on port ${port}`)
})
