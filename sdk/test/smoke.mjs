/**
 * The same bot on every platform, with the packed package: `<runtime> smoke.mjs <url> <key> <channelId> <roomId>`. It sends a
 * message, waits for a command, replies to it, verifies a delivery of a webhook, and keeps a session in SQLite.
 */
import process from 'node:process'
import { Bot, MissingScopeError, PorticoError, sqlitePositions } from '@portico/sdk'

const [url, key, channelId, roomId] = (globalThis.Deno?.args ?? process.argv.slice(2)).slice(-4)
const bot = new Bot({ url, key })
const done = new Promise((resolve) => {
  bot.command('/ping', { description: 'Answers' }, async (ctx) => {
    await ctx.reply(`pong ${ctx.args.join(',')}`)
    resolve()
  })
})
await bot.start()
await bot.client.sendMessage({ channelId, roomId, text: 'ready' })
await done
await bot.stop()

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const handle = new Bot({ url, key }).webhook({ secret })
const bytes = (text) => new TextEncoder().encode(text)
const body = JSON.stringify({ event: 'ping', timestamp: new Date().toISOString(), channelId: null, data: {} })
const timestamp = String(Math.floor(Date.now() / 1000))
const raw = Uint8Array.from(atob(secret.slice('whsec_'.length)), (character) => character.charCodeAt(0))
const signingKey = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
const digest = await crypto.subtle.sign('HMAC', signingKey, bytes(`d1.${timestamp}.${body}`))
const signature = `v1,${btoa(String.fromCharCode(...new Uint8Array(digest)))}`
const deliver = (sent) => {
  const headers = { 'webhook-id': 'd1', 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  return handle(new Request('https://bot.example/', { method: 'POST', headers, body: sent }))
}
const statuses = [(await deliver(body)).status, (await deliver(`${body} `)).status]
if (statuses.join() !== '204,401') throw new Error(`the webhook answered ${statuses.join()}`)
if (!(Object.create(MissingScopeError.prototype) instanceof PorticoError))
  throw new Error('errors have no common class')

const store = sqlitePositions(':memory:')
const save = (offset, sessions) =>
  store.saveState({
    position: { epoch: 'log', offset },
    finished: [[9, 12]],
    sessions: new Map(Object.entries(sessions)),
  })
const kept = async () => {
  await save(6, { kept: '{"count":1}', forgotten: '{}' })
  await save(7, { forgotten: undefined })
  return [
    await store.load(),
    await store.loadFinished(),
    await store.loadSession('kept'),
    await store.loadSession('forgotten'),
  ]
}
const found = await kept().then(JSON.stringify, String)
const expected = process.versions.node.startsWith('20.')
  ? 'PorticoError: sqlitePositions needs Node 22.13 or newer, Deno 2.2 or newer, or Bun: there is no SQLite here.'
  : '[{"epoch":"log","offset":7},[[9,12]],"{\\"count\\":1}",null]'
if (found !== expected) throw new Error(`SQLite has ${found}`)
console.log('smoke test passed')
