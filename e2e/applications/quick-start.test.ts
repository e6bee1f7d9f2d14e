import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Message } from '@portico/contract'
import { expect, onTestFinished, test } from 'vitest'
import { typescriptSample } from '../../portal/src/applications/quick-start-samples.ts'
import { commandSample, streamSample, webhookSample } from '../../portal/src/applications/sdk-samples.ts'
import { newWebhookSecret, signedHeaders } from '../../server/src/webhooks/signing.ts'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { freePort } from '../../server/test/free-port.ts'

/** Where this checkout’s packages are installed. */
const cache = join(import.meta.dirname, '../../.cache')

/** Runs a program as a page of the portal shows it. Returns its lines. */
async function run(sample: string, env: Record<string, string>): Promise<AsyncIterator<string>> {
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'quick-start-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const program = join(folder, 'bot.ts')
  await writeFile(program, sample)
  const child: ChildProcessByStdio<null, Readable, null> = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill()
    await once(child, 'close')
  })
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]()
}

test('the quick-start bot answers /hello as shown', async () => {
  const { server, owner, room, channel, bots } = await channelFixture({ bots: 1 })
  const sample = typescriptSample(server.url, { channelId: channel.id, roomId: room.id })
  const lines = await run(sample, { PORTICO_KEY: bots[0].key })
  expect((await lines.next()).value).toBe('Listening')

  const messages = `/rooms/${room.id}/messages`
  const question = expectOk(await owner.post<Message>(messages, { channelId: channel.id, text: '/hello' }))
  const newest = async (): Promise<Message | undefined> =>
    expectOk(await owner.get<{ messages: Message[] }>(`${messages}?channelId=${channel.id}`)).messages[0]
  const { messages: first } = expectOk(await owner.get<{ messages: Message[] }>(`${messages}?channelId=${channel.id}`))
  expect(first.map(({ text }) => text)).toContain('I am online. Write /hello')
  await expect
    .poll(newest, { timeout: 50_000 })
    .toMatchObject({ text: `Hello, **${owner.name}**!`, replyToId: question.id })
})

test('the sample of the commands page answers as shown', async () => {
  const { server, owner, room, channel, bots } = await channelFixture({ bots: 1 })
  await run(commandSample(server.url), { PORTICO_KEY: bots[0].key })
  const at = `/rooms/${room.id}/messages`
  const commands = () => bots[0].get<{ commands: { name: string }[] }>('/commands')
  await expect.poll(async () => (await commands()).body.commands, { timeout: 50_000 }).toHaveLength(1)
  const texts = async (): Promise<string[]> => {
    // Commands are declared before the bot receives events.
    expectOk(await owner.post<Message>(at, { channelId: channel.id, text: '/hello harbour' }))
    const { messages } = expectOk(await owner.get<{ messages: Message[] }>(`${at}?channelId=${channel.id}`))
    return messages.map(({ text }) => text)
  }
  await expect.poll(texts, { timeout: 50_000, interval: 1000 }).toContain('Hello, harbour!')
})

test('the sample of the event stream page receives messages as shown', async () => {
  const { server, owner, room, channel, bots } = await channelFixture({ bots: 1 })
  const lines = await run(streamSample(server.url, { channels: [channel] }), { PORTICO_KEY: bots[0].key })
  expect((await lines.next()).value).toBe(`${bots[0].name} is online`)
  expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'The ferry is in' }))
  expect((await lines.next()).value).toBe(`${owner.name} The ferry is in`)
})

test('the sample of the webhook page receives deliveries as shown', async () => {
  const { server, channel, bots, owner } = await channelFixture({ bots: 1 })
  const [secret, port] = [newWebhookSecret(), await freePort()]
  const sample = webhookSample(server.url, { channels: [channel] }).replace('8080', String(port))
  const lines = await run(sample, { PORTICO_KEY: bots[0].key, PORTICO_WEBHOOK_SECRET: secret })
  expect((await lines.next()).value).toBe(`${bots[0].name} is online`)
  const data = {
    roomId: 'r',
    message: { id: 'm', text: 'The ferry is in', author: { id: owner.id, name: owner.name } },
  }
  const body = JSON.stringify({ event: 'message.created', timestamp: new Date(), channelId: channel.id, data })
  const deliver = async (): Promise<number> => {
    const timestamp = Math.floor(Date.now() / 1000)
    const headers = signedHeaders({ deliveryId: 'delivery-1', event: 'message.created', body, secret, timestamp })
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body }).catch(() => undefined)
    return response?.status ?? 0
  }
  await expect.poll(deliver, { timeout: 50_000 }).toBe(204)
  expect((await lines.next()).value).toBe(`${owner.name} The ferry is in`)
})
