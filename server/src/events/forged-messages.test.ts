import { randomUUID } from 'node:crypto'
import { messageCreated, typingStarted } from '@portico/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { newAdministrator } from '../../test/new-person.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { redisProgram } from '../../test/redis.ts'
import { startCluster } from '../../test/start-cluster.ts'
import type { LoggedEvent } from './read-settled.ts'

describe.skipIf(redisProgram === undefined)('someone who reaches the Redis of a cluster', { timeout: 300_000 }, () => {
  test('can neither forge events, nor suppress or repeat them, nor end a node', async () => {
    const { nodes, redis } = await startCluster(2)
    const [server, other] = nodes
    const administrator = await newAdministrator(server)
    const { owner, people, room } = await channelFixture({ people: 1, portal: { server, administrator } })
    const prefix = `portico:${server.services.eventLog.epoch}:`
    const topic = `{log}:events:${room.channelId}`
    const published = await collect(redis.url, prefix + topic)
    const forge = (channel: string, message: string): Promise<unknown> =>
      redis.ask('SPUBLISH', prefix + channel, message)

    const open = await OpenPortal.of(other, people[0])
    await open.show(room.id)
    const say = async (text: string): Promise<unknown> =>
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    const texts = (): string[] => open.eventsOf(messageCreated).map(({ data }) => data.message.text)
    await say('first')
    await eventually(texts).toEqual(['first'])
    await eventually(() => published.length).toBeGreaterThan(0)

    // As the nodes publish them, with the next positions and another text.
    const authentic = published.at(-1) ?? ''
    const events = JSON.parse(authentic.slice(authentic.indexOf('['))) as LoggedEvent[]
    const forged = events.map((event, index) => ({
      ...event,
      seq: other.services.eventLog.top + 1 + index,
      body: event.body.replace('first', 'forged'),
    }))
    for (const head of [randomUUID(), authentic.slice(0, authentic.indexOf('['))]) {
      await forge(topic, head + JSON.stringify(forged))
    }
    // Later events would come too late if this were believed.
    for (const settled of [other.services.eventLog.top + 1, 10_000, Number.MAX_SAFE_INTEGER, NaN]) {
      await forge(topic, `${settled} 1 `)
      await forge(topic, `${settled} ${authentic.split(' ')[1]} `)
    }
    const body = forged.at(-1)?.body ?? ''
    const to = { accountId: people[0].id }
    await forge('portico', `ephemeral ${JSON.stringify({ to, body })}`)
    await forge('portico', `ephemeral ${JSON.stringify({ to, body, mac: 'x'.repeat(22) })}`)
    for (const channel of [topic, '{log}:memberships', 'portico', 'limits:people', 'limits:sockets', 'open']) {
      for (const nonsense of ['', '{', 'ephemeral {', 'applications {']) await forge(channel, nonsense)
    }
    await forge(topic, authentic)

    await say('second')
    await forge(topic, authentic)
    await say('third')
    await eventually(texts).toEqual(['first', 'second', 'third'])
    await redis.ask('HINCRBY', `${prefix}{log}:state`, 'settled', '3')
    await say('fourth')
    await redis.ask('SET', `${prefix}{log}:highest`, '1000000000000')
    await say('fifth')
    await eventually(texts).toEqual(['first', 'second', 'third', 'fourth', 'fifth'])
    // What isn't stored still arrives.
    expectOk(await owner.post(`/rooms/${room.id}/typing`))
    expect((await open.next(typingStarted)).data.member.id).toBe(owner.id)
    expect(texts()).toEqual(['first', 'second', 'third', 'fourth', 'fifth'])
  })
})

/** What is published on a channel from now on. */
async function collect(url: string, channel: string): Promise<string[]> {
  const { createClient } = await import('@redis/client')
  const client = createClient({ url })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.destroy())
  const messages: string[] = []
  await client.sSubscribe(channel, (message) => messages.push(message))
  return messages
}
