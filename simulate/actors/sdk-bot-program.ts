/** A bot that is written with the SDK as its documentation shows, and reports everything that it does on its output. */
import { createServer } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type * as Sdk from '../../sdk/src/index.ts'
import { monotonicNow } from '../history/history.ts'
import { Random } from '../random/random.ts'
import { recordingFetch } from './recording-fetch.ts'
import { COMMANDS, replyOf } from './sdk-bot-reply.ts'
import type { Report, SdkBotSettings } from './sdk-bot-report.ts'

/** In milliseconds: handlers wait for something else, so that a crash often interrupts one. */
const WORK = 1500

const settings = JSON.parse(process.env['SDK_BOT'] ?? '{}') as SdkBotSettings
const { name, url, key, folder, webhook, seed, checkout } = settings
// Of the checkout that is tested.
const sdk = (await import(pathToFileURL(join(checkout, 'sdk/src/index.ts')).href)) as typeof Sdk
const { Bot, filePositions, toNodeHandler } = sdk
const random = new Random(seed)

type Untimed = Report extends infer R ? (R extends Report ? Omit<R, 'at'> : never) : never

function report(entry: Untimed): void {
  process.stdout.write(`${JSON.stringify({ ...entry, at: monotonicNow() })}\n`)
}

const bot = new Bot({
  url,
  key,
  positions: filePositions(join(folder, `${name}.json`)),
  fetch: recordingFetch(report),
})

/** Reports what becomes of one event in one handler. */
async function handled(event: Sdk.BotEvent, handler: string, work: () => Promise<string | undefined>): Promise<void> {
  const { roomId, message } = event.data as { roomId: string; message: { id: string } }
  const about = { kind: 'handled' as const, event: event.id, handler, roomId, messageId: message.id }
  report({ ...about, what: 'begins' })
  try {
    const reply = await work()
    if (reply !== undefined) report({ ...about, what: 'replied', reply })
  } catch (error) {
    report({ ...about, what: 'failed', error: error instanceof Error ? error.constructor.name : String(error) })
    throw error
  }
}

for (const command of COMMANDS) {
  bot.command(command, { description: `Shows the ${command.slice(1)}`, usage: '[where]' }, (ctx) =>
    handled(ctx.event, command, async () => {
      await sleep(random.between(0, WORK))
      const { id } = await ctx.reply(replyOf(name, command, ctx.messageId))
      // A crash from here on handles the event again, and must not reply again.
      await sleep(random.between(0, WORK))
      return id
    }),
  )
}
bot.on('message.created', (event) => handled(event, 'message.created', async () => undefined))
bot.onError(() => undefined)

if (webhook) {
  const handle = toNodeHandler(bot.webhook({ secret: webhook.secret }))
  createServer(webhook, handle).listen(webhook.port, '127.0.0.1')
}
await bot.start()
report({ kind: 'bot process', what: 'started' })
const reason = await bot.closed
report({ kind: 'bot process', what: 'ended', why: String(reason) })
process.exit(0)
