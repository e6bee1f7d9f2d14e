import type { OwnChannel, Room } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { eventually } from '../../test/eventually.ts'
import { expectOk } from '../../test/expect-ok.ts'
import { atFileEnd } from '../../test/file-end.ts'
import { filesFolder } from '../../test/files-folder.ts'
import { Person } from '../../test/person.ts'
import { startPortico } from '../../test/portico-process.ts'
import { PushService } from '../../test/push-service.ts'
import { redisProgram, RedisServer } from '../../test/redis.ts'
import { startNode } from '../../test/start-node.ts'
import { certificate } from '../../test/webhook-receiver.ts'

describe.skipIf(redisProgram === undefined)('the pushes of a cluster', () => {
  test('are sent once by several nodes, and by another node when the one that sends is killed', async () => {
    const redis = await RedisServer.start()
    atFileEnd(() => redis.kill())
    const settings = {
      DATABASE_URL: (await testDatabase()).url,
      REDIS_URL: redis.url,
      FILES_FOLDER: await filesFolder(),
      PORTICO_SECRET: 'the secret of all nodes of a cluster',
      WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
    }
    const doomed = await startPortico({ ...settings, NODE_EXTRA_CA_CERTS: (await certificate()).path })
    const server = { url: doomed.url }
    const owner = await new Person(server).setUp(/set-up\?code=(\w+)/.exec(doomed.output())?.[1] ?? '')
    const reader = await new Person(server).signUp()
    const { id: channelId } = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Ateliers', open: true }))
    expectOk(await reader.post(`/channels/${channelId}/join`))
    const browser = await (await PushService.start()).browser().subscribe(reader)
    const say = async (name: string): Promise<string> => {
      const room = expectOk(await owner.post<Room>(`/channels/${channelId}/rooms`, { name, type: 'text' }))
      const text = `hello <@${reader.id}>`
      return expectOk(await owner.post<{ id: string }>(`/rooms/${room.id}/messages`, { channelId, text })).id
    }

    // The only node sends, and gets no answer.
    browser.answers = ['hang']
    const first = await say('first')
    await eventually(() => browser.requests).toBe(1)
    const heir = await startNode(settings)
    expect(heir.services.pushKeys.publicKey).toBe(
      expectOk(await reader.get<{ publicKey: string }>('/push-subscription')).publicKey,
    )
    await doomed.stop('SIGKILL')
    server.url = heir.url
    browser.answers = [201]
    // The claim of the dead node would end by itself after half a minute.
    await heir.services.database.pool.query('UPDATE pushes SET next_attempt_at = now()')
    await eventually(() => browser.received.map(({ text }) => text.tag)).toEqual([first])

    const another = await startNode(settings)
    const sent = [first]
    for (const name of ['second', 'third', 'fourth', 'fifth']) sent.push(await say(name))
    await eventually(() => browser.received.map(({ text }) => text.tag).toSorted()).toEqual(sent.toSorted())
    const waiting = async () => (await another.services.database.pool.query('SELECT FROM pushes')).rows.length
    await eventually(waiting).toBe(0)
    expect(browser.received).toHaveLength(sent.length)
  })
})
