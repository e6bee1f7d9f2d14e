import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'

describe('an answer of the portal API', () => {
  test('is compressed as the browser accepts it, unless it is small', async () => {
    const { owner, channel, room } = await channelFixture()
    const text = 'The same words again and again. '.repeat(100)
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text }))
    const get = (path: string, accepted: string) =>
      owner.request('GET', path, undefined, { 'accept-encoding': accepted })
    const roomPage = `/room-page?channelId=${channel.id}&roomId=${room.id}`
    for (const [accepted, encoding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const answer = await get(roomPage, accepted)
      expect(answer.headers.get('content-encoding')).toBe(encoding)
      expect(answer.headers.get('vary')).toBe('accept-encoding')
      expect(answer.body).toMatchObject({ history: { messages: [{ text }] } })
    }
    expect((await get('/session', 'br')).headers.get('content-encoding')).toBe(null)
  })
})
