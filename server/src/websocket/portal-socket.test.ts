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

  test('rejects a page of another site that sends the visitor’s cookie', async () => {
    const { server, owner } = await channelFixture()
    for (const origin of ['https://evil.example', '']) {
      const raw = await RawSocket.open(server, { cookie: owner.cookie, ...(origin && { origin }) })
      raw.send({ id: 1, connect: {} })
      expect(await raw.closed).toMatchObject({ code: 3500 })
    }
  })
})
