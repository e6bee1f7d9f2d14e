import { messageCreated, typingStarted } from '@portico/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { Person } from '../../test/person.ts'
import { redisProgram } from '../../test/redis.ts'
import { startCluster, type Cluster } from '../../test/start-cluster.ts'
import { startServer } from '../../test/start-server.ts'
import { ServedElsewhere } from './serving-lease.ts'

describe.skipIf(redisProgram === undefined)('a cluster', () => {
  let cluster: Cluster
  let administrator: Person

  beforeAll(async () => {
    cluster = await startCluster(2)
    const [first] = cluster.nodes
    administrator = await new Person(first).setUp(setUpCode(first.services.secret))
  })

  test('does not serve together with a process without REDIS_URL', async () => {
    const { REDIS_URL: _, ...settings } = cluster.settings
    await expect(startServer(settings)).rejects.toThrow(ServedElsewhere)
  })

  test('delivers events and typing to people on other nodes', async () => {
    const [first, second] = cluster.nodes
    const { owner, people, room } = await channelFixture({ people: 1, portal: { server: first, administrator } })
    const portal = await OpenPortal.of(second, people[0])
    const message = { channelId: room.channelId, text: 'Hello from the other node' }
    expectOk(await owner.post(`/rooms/${room.id}/messages`, message))
    expect((await portal.next(messageCreated)).data.message.text).toBe(message.text)
    expectOk(await owner.post(`/rooms/${room.id}/typing`))
    expect((await portal.next(typingStarted)).data.member.id).toBe(owner.id)
  })

  test('accepts a re-issued key on no node', async () => {
    const [first, second] = cluster.nodes
    const { bots } = await channelFixture({ bots: 1, portal: { server: first, administrator } })
    const [bot] = bots
    const ask = (key: string) =>
      fetch(`${second.url}/api/v1/me`, { headers: { authorization: `Bot ${key}` } }).then(({ status }) => status)
    const former = bot.key
    expect(await ask(former)).toBe(200)
    await bot.reissue()
    expect(await ask(former)).toBe(401)
    expect(await ask(bot.key)).toBe(200)
  })
})
