import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { AuditEntry, RoomMessage } from '@portico/contract'
import { readWav } from '@portico/sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { botOf } from '../sdk/test/start-bot.ts'
import { channelFixture, expectOk, portal } from '../server/test/channel-fixture.ts'
import { eventually } from '../server/test/eventually.ts'
import { freePort } from '../server/test/free-port.ts'
import { pythonWith } from '../server/test/python-with.ts'
import { MEDIA_ON } from '../server/test/start-server.ts'
import { certificate } from '../server/test/webhook-receiver.ts'

const python = await pythonWith('python-example', ['centrifuge-python>=0.5,<1', 'httpx>=0.27,<1'], 'centrifuge, httpx')
const port = await freePort()
await portal({
  ...MEDIA_ON,
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
})

interface Launch {
  readonly program?: string | undefined
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

async function exampleFixture() {
  const made = await channelFixture({ bots: 1, people: 1 })
  const {
    server,
    room,
    bots: [bot],
    people: [person],
  } = made
  const at = `/rooms/${room.id}/messages`
  return {
    ...made,
    bot,
    person,
    say: async (text: string) => expectOk(await person.post<RoomMessage>(at, { channelId: room.channelId, text })),
    messages: async (): Promise<RoomMessage[]> => {
      const answer = await person.get<{ messages: RoomMessage[] }>(`${at}?channelId=${room.channelId}`)
      return expectOk(answer).messages.toReversed()
    },
    /** Runs an example as its reader would, until it says what is expected. Stopped after the test. */
    run: async (file: string, expected: string, { program = process.execPath, args = [], env = {} }: Launch = {}) => {
      const child = spawn(program, [join(import.meta.dirname, file), ...args], {
        env: { PATH: process.env['PATH'], PORTICO_URL: server.url, PORTICO_KEY: bot.key, ...env },
      })
      let output = ''
      let hasEnded = false
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
      const ended = once(child, 'close').then(() => (hasEnded = true))
      onTestFinished(async () => {
        child.kill()
        await ended
      })
      await eventually(() => {
        if (hasEnded && !output.includes(expected)) throw new Error(`${file} ended:\n${output}`)
        return output
      }).toContain(expected)
    },
  }
}

describe('the example', () => {
  const hello = async (file: string, program: string | undefined): Promise<void> => {
    const { run, say, messages, bot, person } = await exampleFixture()
    await run(file, 'is online', { program })
    await say('hello without a slash')
    const commands = [await say('/hello'), await say('/hello')]
    await eventually(messages).toHaveLength(5)
    // A fast bot replies to the first command before the second one is written.
    expect((await messages()).filter(({ author }) => author.id === bot.id)).toMatchObject(
      commands.map(({ id }) => ({ text: `Hello, **${person.name}**!`, replyToId: id })),
    )
  }
  test('hello.ts replies once to /hello', () => hello('hello.ts', process.execPath))
  test.skipIf(python === undefined)('hello.py replies once to /hello', () => hello('hello.py', python))

  test('poll.ts counts reactions', async () => {
    const { run, say, messages, person, room } = await exampleFixture()
    await run('poll.ts', 'is online')
    await say('/poll "Where do we have lunch?" "The harbour" Upstairs')
    await eventually(async () => (await messages())[1]?.reactions?.length).toBe(2)
    const poll = (await messages())[1]
    const text = (upstairs: number) => `**Where do we have lunch?**\n1️⃣ The harbour: 0\n2️⃣ Upstairs: ${upstairs}`
    expect(poll?.text).toBe(text(0))
    const reaction = `/rooms/${room.id}/messages/${poll?.id}/reactions`
    const vote = { channelId: room.channelId, emoji: '2️⃣' }
    expectOk(await person.post(reaction, vote))
    await eventually(async () => (await messages())[1]?.text).toBe(text(1))
    expectOk(await person.delete(reaction, vote))
    await eventually(async () => (await messages())[1]?.text).toBe(text(0))

    await say('/poll Lunch?')
    await eventually(async () => (await messages()).at(-1)?.text).toContain('A poll has a question')
  })

  test('moderator.ts mutes who floods, and says why in the audit log', async () => {
    const { run, say, messages, give, bot, person, room, owner, at } = await exampleFixture()
    await give(bot, 'CHANNEL_MODERATOR')
    await run('moderator.ts', 'is online')
    for (const nth of [1, 2, 3, 4, 5]) await say(`message ${nth}`)
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'someone else' }))
    await say('message 6')
    await eventually(async () => (await messages()).at(-1)?.text).toContain(`**${person.name}** is muted`)
    const send = { channelId: room.channelId, text: 'message 7' }
    expect((await person.post(`/rooms/${room.id}/messages`, send)).status).toBe(403)
    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    expect(entries[0]).toMatchObject({ actor: { id: bot.id }, reason: 'Flood: 6 messages in 10 seconds' })
  })

  test('digest.ts counts the messages of a day', async () => {
    const { run, say, messages, person, room } = await exampleFixture()
    for (const text of ['one', 'two']) await say(text)
    await run('digest.ts', 'has posted a digest in 1 channels', { args: [room.name] })
    expect((await messages()).at(-1)?.text).toBe(`**The last day**\n- ${room.name}: ${person.name} 2`)
  })

  test('webhook-bot.ts replies to what the portal delivers', async () => {
    const { run, say, messages } = await exampleFixture()
    const [behind, { key, cert }] = [await freePort(), await certificate()]
    // The reverse proxy in front of the bot.
    const proxy = createServer({ key, cert }, (received, response) => {
      const { method, headers, url: path } = received
      const passed = request({ host: '127.0.0.1', port: behind, method, headers, path }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      passed.on('error', () => response.writeHead(502).end())
      received.pipe(passed)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(async () => {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    })
    const WEBHOOK_URL = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}/portico`
    await run('webhook-bot.ts', `listens on port ${behind}`, { env: { WEBHOOK_URL, PORT: String(behind) } })
    const { id } = await say('/ping')
    await eventually(async () => (await messages()).at(-1)).toMatchObject({ text: 'pong', replyToId: id })
  })

  test('voice-announcer.ts plays a chime to who joins', async () => {
    const fixture = await exampleFixture()
    const { run, newRoom, newBot, server, person, channel, bot, publishedEvents } = fixture
    await run('voice-announcer.ts', 'is online')
    const { id: roomId } = await newRoom('voice')
    const listener = botOf(server, await newBot())
    await listener.start()
    const ear = await (await listener.voice.join(roomId)).connect()
    const done = new AbortController()
    const recordings = ear.record({ signal: done.signal })
    expectOk(await person.post(`/rooms/${roomId}/voice`, { channelId: channel.id }))
    // Once for each of the two who joined.
    await eventually(async () => {
      const left = (await publishedEvents()).filter(({ event }) => event === 'voice.member_left')
      return left.filter(({ data }) => (data['user'] as { id: string }).id === bot.id)
    }).toHaveLength(2)
    done.abort()
    const chimes = (await recordings).filter(({ userId }) => userId === bot.id)
    const loudest = Math.max(
      ...chimes.map(({ wav }) => readWav(wav).samples.reduce((one, other) => Math.max(one, other), 0)),
    )
    expect(loudest).toBeGreaterThan(3000)
  })

  test.each(['hello.ts', 'hello.py', 'poll.ts', 'moderator.ts', 'digest.ts', 'webhook-bot.ts', 'voice-announcer.ts'])(
    '%s is listed in the guide',
    async (file) => {
      const guide = await readFile(join(import.meta.dirname, '../docs/bot-api.md'), 'utf8')
      expect(guide).toContain(`](../examples/${file})`)
    },
  )
})
