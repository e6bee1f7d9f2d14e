import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { startRelay } from '../../../server/test/relay.ts'
import { botOf } from '../../test/start-bot.ts'
import {
  ConnectionError,
  memoryPositions,
  RetriesExhaustedError,
  type BotEvent,
  type BotOptions,
  type CommandContext,
} from '../index.ts'

/** In seconds: how long the portal is away at least. With 60, the client makes all its attempts, as in an outage. */
const OUTAGE = Number(process.env['PORTICO_TEST_OUTAGE'] ?? 0)
const RETRIES = OUTAGE === 0 ? '0' : '5'
const program = join(import.meta.dirname, '../../test/replying-bot.ts')

async function outageFixture() {
  const made = await channelFixture({ bots: 1 })
  const { server, owner, room, bots } = made
  const relay = await startRelay(server.url)
  const at = `/rooms/${room.id}/messages`
  const say = async (text: string) =>
    expectOk(await owner.post<{ id: string }>(at, { channelId: room.channelId, text }))
  const texts = async () => {
    const { messages } = expectOk(
      await owner.get<{ messages: { text: string }[] }>(`${at}?channelId=${room.channelId}`),
    )
    return messages.map(({ text }) => text).toReversed()
  }
  const errors: [unknown, BotEvent | undefined][] = []
  // Without retries of the client, so that an outage needs no minute to be noticed.
  const botWith = (options: Partial<BotOptions> = {}) =>
    botOf(relay, bots[0], { retries: 0, ...options }).onError((error, event) => errors.push([error, event]))
  return { ...made, relay, application: bots[0], say, texts, errors, botWith }
}

const deploy = (handle: (ctx: CommandContext) => unknown) => ['/deploy', { description: 'Deploys' }, handle] as const

describe('a handler that fails with a temporary error', () => {
  test('is run again with the same event when the portal is back, before the next event of the room', async () => {
    const { relay, say, texts, errors, botWith } = await outageFixture()
    const bot = botWith()
    const attempts: string[] = []
    bot.command(
      ...deploy(async (ctx) => {
        if (attempts.length === 0) await relay.goAway()
        attempts.push(ctx.event.id)
        await ctx.reply(`${ctx.rest}, attempt ${attempts.length}`)
      }),
    )
    let retries = 0
    bot.on('retry', () => void (retries += 1))
    await bot.start()
    await say('/deploy one')
    await eventually(() => retries).toBeGreaterThan(1)
    await relay.comeBack()
    await say('/deploy two')
    await eventually(texts).toHaveLength(4)
    expect(new Set(attempts.slice(0, -1)).size).toBe(1)
    const [, , first, second] = await texts()
    expect(first).toMatch(/^one/)
    expect(second).toBe(`two, attempt ${attempts.length}`)
    expect(errors).toEqual([])
  })

  test('sends what it has sent before only once', async () => {
    const { say, texts, botWith } = await outageFixture()
    const bot = botWith()
    let attempts = 0
    bot.command(
      ...deploy(async (ctx) => {
        attempts += 1
        await ctx.reply(`Deploying, attempt ${attempts}`)
        if (attempts < 3) ctx.retryLater({ afterSec: 0 })
        await ctx.reply('Deployed')
      }),
    )
    await bot.start()
    await say('/deploy')
    await eventually(texts).toEqual(['/deploy', 'Deploying, attempt 1', 'Deployed'])
    expect(attempts).toBe(3)
  })

  test('is given up after the limit, and onError hears of it', async () => {
    const { say, errors, botWith } = await outageFixture()
    const bot = botWith({ retry: { forSec: 0.5 } })
    const cause = new Error('the build server is away')
    let attempts = 0
    bot.command(
      ...deploy((ctx) => {
        attempts += 1
        ctx.retryLater({ afterSec: 0.25, cause })
      }),
    )
    await bot.start()
    await say('/deploy')
    await eventually(() => errors).toHaveLength(1)
    const [error, event] = errors[0] ?? []
    expect(error).toBeInstanceOf(RetriesExhaustedError)
    expect(error).toMatchObject({ attempts: 3, cause: { cause } })
    expect(event).toMatchObject({ data: { message: { text: '/deploy' } } })
    expect(attempts).toBe(3)
  })

  test('isn’t run again with retry: false', async () => {
    const { relay, say, errors, botWith } = await outageFixture()
    const bot = botWith({ retry: false })
    bot.command(
      ...deploy(async (ctx) => {
        await relay.goAway()
        await ctx.reply('Deployed')
      }),
    )
    await bot.start()
    await say('/deploy')
    await eventually(() => errors).toHaveLength(1)
    expect(errors[0]?.[0]).toBeInstanceOf(ConnectionError)
    await relay.comeBack()
  })

  test('is run again after the next start if the bot is stopped meanwhile', async () => {
    const { server, application, relay, say, texts, errors, botWith } = await outageFixture()
    const positions = memoryPositions()
    const bot = botWith({ positions })
    bot.command(
      ...deploy(async (ctx) => {
        await relay.goAway()
        await ctx.reply('Deployed by the first')
      }),
    )
    let retries = 0
    bot.on('retry', () => void (retries += 1))
    await bot.start()
    await say('/deploy one')
    await eventually(() => retries).toBeGreaterThan(0)
    await bot.stop()
    expect(errors).toMatchObject([[{ name: 'ConnectionError' }, { data: { message: { text: '/deploy one' } } }]])

    await say('/deploy two')
    const next = botOf(server, application, { positions })
    next.command(...deploy((ctx) => ctx.reply(`Deployed ${ctx.rest}`)))
    await next.start()
    await eventually(texts).toEqual(['/deploy one', '/deploy two', 'Deployed one', 'Deployed two'])
    await relay.comeBack()
  })
})

describe('a bot whose portal is away between a command and its reply', () => {
  async function processFixture() {
    const made = await outageFixture()
    const folder = mkdtempSync(join(tmpdir(), 'portico-sdk-outage-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const begun = join(folder, 'begun.txt')
    const start = async () => {
      const child = spawn(process.execPath, [program, made.relay.url, made.application.key, folder, RETRIES], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      let output = ''
      child.stdout.on('data', (chunk) => (output += String(chunk)))
      const ended = once(child, 'exit')
      await eventually(() => output).toContain('started')
      return { output: () => output, kill: async () => (child.kill('SIGKILL'), ended) }
    }
    const handling = () => (existsSync(begun) ? readFileSync(begun, 'utf8').trim().split('\n') : [])
    return { ...made, start, handling }
  }
  const expected = [expect.stringMatching(/^Deployed one at/), expect.stringMatching(/^Deployed two at/)]

  test('replies once when it is back', async () => {
    const { relay, say, texts, start, handling } = await processFixture()
    const bot = await start()
    await say('/deploy one')
    await eventually(handling).toEqual(['one'])
    await relay.goAway()
    await say('/deploy two')
    await sleep(OUTAGE * 1000)
    await eventually(bot.output).toContain('retry 1')
    await relay.comeBack()
    await eventually(texts).toEqual(['/deploy one', '/deploy two', ...expected])
  })

  test('replies once after the next start if it is killed meanwhile', async () => {
    const { relay, say, texts, start, handling } = await processFixture()
    const bot = await start()
    await say('/deploy one')
    await eventually(handling).toEqual(['one'])
    await relay.goAway()
    await say('/deploy two')
    await eventually(bot.output).toContain('retry 1')
    await bot.kill()
    await relay.comeBack()
    await start()
    await eventually(texts).toEqual(['/deploy one', '/deploy two', ...expected])
    expect(handling().slice(-2)).toEqual(['one', 'two'])
  })
})
