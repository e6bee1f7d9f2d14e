import type { Room } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { expectOk } from '../../test/expect-ok.ts'
import { startFailingNode } from '../../test/failing-node.ts'
import { Person } from '../../test/person.ts'
import { PushService } from '../../test/push-service.ts'
import { redisProgram } from '../../test/redis.ts'
import { startNode } from '../../test/start-node.ts'

describe.skipIf(redisProgram === undefined)('the pushes of a cluster', () => {
  test('are sent once by several nodes, and by another node when the one that sends is killed', async () => {
    const { settings, failing, server, owner, channelId } = await startFailingNode()
    const reader = await new Person(server).signUp()
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
    const successor = await startNode(settings)
    expect(successor.services.pushKeys.publicKey).toBe(
      expectOk(await reader.get<{ publicKey: string }>('/push-subscription')).publicKey,
    )
    await failing.stop('SIGKILL')
    server.url = successor.url
    browser.answers = [201]
    // The claim of the dead node would end by itself after half a minute.
    await successor.services.database.pool.query('UPDATE pushes SET next_attempt_at = now()')
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
