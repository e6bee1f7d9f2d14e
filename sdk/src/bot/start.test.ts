import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { startRelay } from '../../../server/test/relay.ts'
import { certificate } from '../../../server/test/webhook-receiver.ts'
import { botOf } from '../../test/start-bot.ts'
import { Client, ConnectionError, MissingScopesError } from '../index.ts'

const program = join(import.meta.dirname, '../../test/running-bot.ts')

/** A bot in a process of its own that awaits `bot.run()`. */
function running(url: string, key: string, ...more: readonly string[]) {
  const child = spawn(process.execPath, [program, url, key, ...more], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  return { output: () => output, ended: once(child, 'close'), kill: (signal: NodeJS.Signals) => child.kill(signal) }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

describe('bot.run()', () => {
  test('ends with another code than 0 when the bot is displaced', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const bot = running(server.url, bots[0].key)
    await eventually(bot.output).toContain(`${bots[0].name} is online`)
    await botOf(server, bots[0]).start()
    expect(await bot.ended).toEqual([1, null])
    expect(bot.output()).toContain('DisplacedError: Another process uses this key')
  })

  test('ends with another code than 0 when the key is re-issued', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const bot = running(server.url, bots[0].key)
    await eventually(bot.output).toContain('is online')
    await bots[0].reissue()
    expect(await bot.ended).toEqual([1, null])
  })

  test('is ended by SIGTERM even if the program has a timer', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const bot = running(server.url, bots[0].key, 'timer')
    await eventually(bot.output).toContain('is online')
    bot.kill('SIGTERM')
    expect(await bot.ended).toEqual([null, 'SIGTERM'])
  })

  test('ends with 0 after SIGTERM, also while it waits for the portal', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const bot = running(server.url, bots[0].key)
    await eventually(bot.output).toContain('is online')
    bot.kill('SIGTERM')
    expect(await bot.ended).toEqual([0, null])

    const relay = await startRelay(server.url)
    await relay.goAway()
    const waiting = running(relay.url, bots[0].key)
    await eventually(waiting.output).toContain('Waiting for the portal')
    waiting.kill('SIGTERM')
    expect(await waiting.ended).toEqual([0, null])
    await relay.comeBack()
  })
})

describe('the start of a bot', () => {
  test('waits for a portal that is away, and says so', async () => {
    const { server, bots, owner, room } = await channelFixture({ bots: 1 })
    const relay = await startRelay(server.url)
    await relay.goAway()
    const bot = botOf(relay, bots[0])
    const warnings: string[] = []
    bot.on('warning', (warning) => warnings.push(warning))
    bot.command('/ping', { description: 'Answers' }, (ctx) => ctx.reply('pong'))
    const started = bot.start()
    await eventually(() => warnings).toEqual([expect.stringMatching(/^Waiting for the portal: .*was refused/)])
    await relay.comeBack()
    await started
    const at = `/rooms/${room.id}/messages`
    expectOk(await owner.post(at, { channelId: room.channelId, text: '/ping' }))
    const newest = async () =>
      expectOk(await owner.get<{ messages: { text: string }[] }>(`${at}?channelId=${room.channelId}`)).messages[0]?.text
    await eventually(newest).toBe('pong')
  })

  test('says that the bot is installed nowhere', async () => {
    const { server, bots, owner, channel } = await channelFixture({ bots: 1 })
    expectOk(await owner.delete(`/channels/${channel.id}/members/${bots[0].id}`))
    const warnings: string[] = []
    await botOf(server, bots[0])
      .on('warning', (warning) => warnings.push(warning))
      .start()
    await eventually(() => warnings).toEqual([expect.stringContaining('isn’t installed in any channel')])
  })

  test('names all scopes that the key lacks at once', async () => {
    const { server, newBot } = await channelFixture()
    const { key } = await newBot({ scopes: ['channel:read'] })
    const bot = botOf(server, { key }, { scopes: ['messages:write', 'moderation', 'channel:read'] })
    bot.command('/ping', { description: 'Answers' }, (ctx) => ctx.reply('pong'))
    const error = await bot.start().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(MissingScopesError)
    expect(error).toMatchObject({ requiredScopes: ['messages:write', 'moderation', 'commands', 'events'] })
    expect(String(error)).toContain('messages:write, moderation, commands, events')
  })

  test('says that a bot with commands can’t reply', async () => {
    const { server, newBot } = await channelFixture()
    const bot = botOf(server, await newBot({ scopes: ['commands', 'events'] }))
    const warnings: string[] = []
    bot.on('warning', (warning) => warnings.push(warning)).command('/ping', { description: 'Answers' }, () => {})
    await bot.start()
    await eventually(() => warnings).toEqual([expect.stringContaining('messages:write')])
  })

  test.each([
    ['messageCreate', 'message.created'],
    ['message', 'message.created'],
    ['toString', undefined],
  ])('refuses a handler for %s in JavaScript, too', async (name, meant) => {
    const bot = botOf({ url: 'http://localhost:3000' }, { key: 'key' })
    expect(() => bot.on(name as 'gap', () => {})).toThrow(meant === undefined ? 'There is no event' : `mean ${meant}?`)
  })
})

describe('an address of the portal', () => {
  test.each(['/', '/api/v1', '/api/v1/'])('may end in %s', async (end) => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const client = new Client({ url: server.url + end, key: bots[0].key })
    expect(client.url).toBe(server.url)
    expect((await client.getProfile()).bot.id).toBe(bots[0].id)
  })

  test.each(['chat.example', 'localhost:3000', 'ftp://chat.example', ''])('isn’t %j', (url) => {
    expect(() => new Client({ url, key: 'key' })).toThrow('url must be the address of the portal')
  })

  test('that doesn’t respond is explained', async () => {
    const { key, cert } = await certificate()
    // The certificate is for 127.0.0.1, not for this name of it.
    const secure = await listen(createServer({ key, cert }))
    const plain = await listen(createHttpServer())
    const closed = createHttpServer()
    const free = await listen(closed)
    await new Promise((resolve) => closed.close(resolve))
    const redirecting = await listen(
      createHttpServer((request, response) => {
        response.writeHead(301, { location: `http://localhost:${plainAnswers}${request.url}` }).end()
      }),
    )
    const plainAnswers = await listen(createHttpServer((_, response) => response.end('{}')))
    const explained = async (url: string) => {
      const error = await new Client({ url, key: 'key', retries: 0 }).getProfile().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(ConnectionError)
      const { problem, message } = error as ConnectionError
      return [problem, message]
    }
    expect(await explained(`http://127.0.0.1:${free}`)).toEqual(['refused', expect.stringContaining('was refused')])
    expect(await explained(`https://localhost:${secure}`)).toEqual(['tls', expect.stringContaining('certificate')])
    expect(await explained(`https://127.0.0.1:${plain}`)).toEqual(['scheme', expect.stringContaining('Use http://')])
    expect(await explained('http://portal.invalid')).toEqual(['dns', expect.stringContaining('can’t be resolved')])
    expect(await explained(`http://127.0.0.1:${redirecting}`)).toEqual([
      'scheme',
      expect.stringContaining('redirects to'),
    ])
  })
})

test('a key may be pasted with the word Bot in front of it, or with a line break', async () => {
  const { server, bots } = await channelFixture({ bots: 1 })
  for (const key of [`Bot ${bots[0].key}`, `${bots[0].key}\n`]) {
    expect((await new Client({ url: server.url, key }).getProfile()).bot.id).toBe(bots[0].id)
  }
})

test.each([undefined, ''])('a webhook without a secret says that it is missing', (secret) => {
  const bot = botOf({ url: 'http://localhost:3000' }, { key: 'key' })
  expect(() => bot.webhook({ secret })).toThrow('is missing')
})
