import type { CommandOption } from '@portico/contract'
import { Bot, DisplacedError, type CommandContext, type OptionDeclarations } from '@portico/sdk'
import type { Log } from '../../telemetry/log.ts'
import { almanac, REMARKS } from './almanac.ts'
import { BOTS, type BotKey, type DemoBot } from './bots.ts'
import type { Demo } from './demo-file.ts'
import { talk } from './remarks.ts'
import { shipyard } from './shipyard.ts'

/** What a bot does for each of its commands. */
export type Answers<Key extends BotKey> = Readonly<
  Record<(typeof BOTS)[Key]['commands'][number]['name'], (ctx: CommandContext<OptionDeclarations>) => Promise<void>>
>

const REMARK_EVERY_MS = 15 * 60_000

interface Run {
  readonly demo: Demo
  readonly log: Log
  readonly remarkEveryMs: number
  readonly signal: AbortSignal
}

/** Runs the bots of the demo with the SDK, as programs of their own would. Returns a function that stops them. */
export function runBots(demo: Demo, log: Log, { remarkEveryMs = REMARK_EVERY_MS } = {}): () => Promise<void> {
  const stopping = new AbortController()
  const run: Run = { demo, log, remarkEveryMs, signal: stopping.signal }
  const bots = [
    startBot(run, 'shipyard', shipyard),
    startBot(
      run,
      'almanac',
      () => almanac,
      (bot) => void keepTalking(run, bot),
    ),
  ].filter((bot) => bot !== undefined)
  return async () => {
    stopping.abort()
    await Promise.all(bots.map((bot) => bot.stop()))
  }
}

function startBot<Key extends BotKey>(
  { demo, log, signal }: Run,
  which: Key,
  answersOf: (bot: Bot) => Answers<Key>,
  onStarted?: (bot: Bot) => void,
): Bot | undefined {
  const { name, commands }: DemoBot = BOTS[which]
  const application = demo.applications.find((each) => each.name === name)
  if (!application) return undefined
  const bot = new Bot({ url: demo.url, key: application.key })
  const all: Readonly<Record<string, (ctx: CommandContext<OptionDeclarations>) => Promise<void>>> = answersOf(bot)
  for (const { name: command, description, usage, options = [] } of commands) {
    const described = { description, ...(usage !== null && { usage }), options: declarationsOf(options) }
    bot.command(command, described, (ctx) => all[command]?.(ctx))
  }
  bot.onError((error) => {
    // A reader of the guide runs a program of their own with this key.
    if (error instanceof DisplacedError) log.info({ bot: name }, 'another program runs this demo bot now')
    else log.warn({ bot: name, err: error }, 'demo bot failed')
  })
  bot.start().then(
    () => onStarted?.(bot),
    (error: unknown) => signal.aborted || log.warn({ bot: name, err: error }, 'starting a demo bot failed'),
  )
  return bot
}

function declarationsOf(options: readonly CommandOption[]): OptionDeclarations {
  return Object.fromEntries(options.map(({ name, ...declaration }) => [name, { declaration }]))
}

async function keepTalking({ demo, log, remarkEveryMs, signal }: Run, { client, profile }: Bot): Promise<void> {
  const [channel] = demo.channels
  const room = channel?.rooms.find(({ name }) => name === 'bot-yard')
  if (!channel || !room) return
  const place = { channelId: channel.id, roomId: room.id, botId: profile.bot.id }
  try {
    await talk({ ...place, client, remarks: REMARKS, everyMs: remarkEveryMs, signal })
  } catch (error) {
    // Someone trying the demo may have deleted the room or replaced the key.
    if (!signal.aborted) log.info({ bot: profile.bot.name, err: error }, 'demo bot stopped talking')
  }
}
