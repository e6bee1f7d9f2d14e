import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Message } from '@portico/contract'
import { expect, onTestFinished, test } from 'vitest'
import { typescriptSample } from '../portal/src/applications/quick-start-samples.ts'
import { expectOk, channelFixture } from '../server/test/channel-fixture.ts'

/** Where this checkout’s packages are installed. */
const cache = join(import.meta.dirname, '../.cache')

test('the quick-start bot answers /hello as shown', async () => {
  const { server, owner, room, channel, bots } = await channelFixture({ bots: 1 })
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'quick-start-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const program = join(folder, 'bot.ts')
  await writeFile(program, typescriptSample(server.url, { channelId: channel.id, roomId: room.id }))

  const bot = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], PORTICO_KEY: bots[0].key },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    bot.kill()
    await once(bot, 'close')
  })
  const [said] = (await once(bot.stdout, 'data')) as [Buffer]
  expect(said.toString()).toBe('Listening\n')

  const messages = `/rooms/${room.id}/messages`
  const asked = expectOk(await owner.post<Message>(messages, { channelId: channel.id, text: '/hello' }))
  const newest = async (): Promise<Message | undefined> =>
    expectOk(await owner.get<{ messages: Message[] }>(`${messages}?channelId=${channel.id}`)).messages[0]
  const { messages: first } = expectOk(await owner.get<{ messages: Message[] }>(`${messages}?channelId=${channel.id}`))
  expect(first.map(({ text }) => text)).toContain('I am online. Write /hello')
  await expect
    .poll(newest, { timeout: 50_000 })
    .toMatchObject({ text: `Hello, **${owner.name}**!`, replyToId: asked.id })
})
