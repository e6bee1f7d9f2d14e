import { describe, expect, test } from 'vitest'
import { RawSocket } from '../../test/raw-socket.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('the portal’s own socket', () => {
  test('delivers events of a person’s channels, without private rooms that do not admit them', async () => {
    const { server, owner, people, room, newRoom } = await channelFixture({ people: 1 })
    const [ada] = people
    const secret = await newRoom('text', { private: true })
    const raw = await RawSocket.open(server, { cookie: ada.cookie, origin: server.url })
    raw.send({ id: 1, connect: {} }, { id: 2, subscribe: { channel: 'portal' } })
    expect(await raw.next()).toMatchObject({ id: 1, connect: {} })
    expect(await raw.next()).toMatchObject({ id: 2, subscribe: { recoverable: true } })
    const { channelId } = room
    expect(await server.services.presence.onlineIn(channelId)).toContain(ada.id)
    expectOk(await owner.post(`/rooms/${secret.id}/messages`, { channelId, text: 'secret' }))
    expectOk(await ada.post(`/rooms/${room.id}/messages`, { channelId, text: 'own words come back' }))
    // That Ada is online may be announced at any time.
    const nextEvent = async (): Promise<unknown> => {
      const data = (await raw.next()).push?.pub.data
      return data?.event === 'presence.changed' ? nextEvent() : data
    }
    expect(await nextEvent()).toMatchObject({ data: { message: { text: 'own words come back' } } })
    expectOk(await owner.delete(`/channels/${channelId}/members/${ada.id}`))
    expect(await nextEvent()).toMatchObject({ event: 'member.left', data: { userId: ada.id } })
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId, text: 'without Ada' }))
    expectOk(await ada.delete('/sessions/current'))
    expect(await raw.closed).toMatchObject({ code: 3503 })
    expect(raw.frames.some((frame) => frame.includes('secret') || frame.includes('without Ada'))).toBe(false)
  })

  test('subscribes to a few rooms at a time', async () => {
    const { server, owner } = await channelFixture()
    const raw = await RawSocket.open(server, { cookie: owner.cookie, origin: server.url })
    const ask = async (id: number, command: object) => {
      raw.send({ id, ...command })
      return raw.next()
    }
    await ask(1, { connect: {} })
    for (let id = 2; id < 10; id += 1) {
      expect(await ask(id, { subscribe: { channel: `room:${id}` } })).toEqual({ id, subscribe: {} })
    }
    expect(await ask(10, { subscribe: { channel: 'room:9' } })).toMatchObject({ error: { code: 105 } })
    expect(await ask(11, { subscribe: { channel: 'room:11' } })).toMatchObject({ error: { code: 106 } })
    expect(await ask(12, { subscribe: { channel: `room:${'x'.repeat(300)}` } })).toMatchObject({ error: { code: 107 } })
    expect(await ask(13, { unsubscribe: { channel: 'room:9' } })).toEqual({ id: 13, unsubscribe: {} })
    expect(await ask(14, { subscribe: { channel: 'room:11' } })).toEqual({ id: 14, subscribe: {} })
  })

  test('rejects a page of another site that sends the visitor’s cookie', async () => {
    const { server, owner } = await channelFixture()
    for (const origin of ['https://evil.example', '']) {
      const raw = await RawSocket.open(server, { cookie: owner.cookie, ...(origin && { origin }) })
      raw.send({ id: 1, connect: {} })
      expect(await raw.closed).toMatchObject({ code: 3500 })
    }
  })
})
