import type { VoiceSession } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { MediaClient } from '../../test/media/media-client.ts'
import { recordedSdp } from '../../test/media/recorded-sdp.ts'
import type { Person } from '../../test/person.ts'
import { MEDIA_ON } from '../../test/start-server.ts'

const { server } = await portal(MEDIA_ON)

async function streamRoom() {
  const { owner, people, room, at, channel } = await channelFixture({ people: 1, room: 'stream' })
  const [ada] = people
  const tokenOf = async (person: Person): Promise<string> =>
    expectOk(await person.post<VoiceSession>(`/rooms/${room.id}/voice`, { channelId: channel.id })).token
  return { owner, ada, room, at, tokenOf }
}

function broadcast(token: string, body = recordedSdp('obs-whip'), type = 'application/sdp'): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': type }
  return fetch(`${server.url}/whip/v1`, { method: 'POST', headers, body })
}

describe('a broadcast with OBS', () => {
  test('is answered, announced to viewers, and ended by a DELETE', async () => {
    const { owner, ada, tokenOf } = await streamRoom()
    const viewer = await MediaClient.connect(server.url, await tokenOf(ada))
    const token = await tokenOf(owner)
    const answer = await broadcast(token)
    expect(answer.status).toBe(201)
    expect(answer.headers.get('content-type')).toBe('application/sdp')
    const sdp = await answer.text()
    expect(sdp).toContain('a=setup:passive')
    expect(sdp.match(/a=recvonly/g)).toHaveLength(2)
    expect(sdp).toContain('H264/90000')

    const live = await viewer.signal.next('update', ({ participants: [first] }) => first?.tracks.length === 2)
    expect(live.participants[0]).toMatchObject({ identity: `${owner.id}:whip`, name: owner.name })
    const offer = await viewer.signal.next('offer', ({ midToTrackId }) => Object.keys(midToTrackId).length === 2)
    expect(offer.sdp).toContain('H264/90000')

    const location = new URL(answer.headers.get('location') ?? '', server.url)
    const end = (bearer = token) =>
      fetch(location, { method: 'DELETE', headers: { authorization: `Bearer ${bearer}` } })
    expect((await end('')).status).toBe(401)
    expect((await end(await tokenOf(ada))).status).toBe(404)
    expect((await end()).status).toBe(200)
    await viewer.signal.next('update', ({ participants: [first] }) => first?.tracks.length === 0)
    expect((await end()).status).toBe(404)
  })

  test('goes on beside the broadcaster’s own window, and ends with their right to broadcast', async () => {
    const { owner, ada, room, tokenOf } = await streamRoom()
    const viewer = await MediaClient.connect(server.url, await tokenOf(ada))
    const token = await tokenOf(owner)
    const window = await MediaClient.connect(server.url, token)
    await window.signal.next('join')
    expect((await broadcast(token)).status).toBe(201)
    await viewer.signal.next('update', ({ participants: [first] }) => first?.tracks.length === 2)
    expect(window.signal.closed).toBeUndefined()
    expectOk(await owner.delete(`/rooms/${room.id}/voice`))
    await viewer.signal.next('update', ({ participants: [first] }) => first?.identity === `${owner.id}:whip`)
    await eventually(async () =>
      (await server.services.media.connections?.())?.map(({ identity }) => identity),
    ).toEqual(expect.not.arrayContaining([owner.id]))
    expect((await broadcast(token)).status).toBe(403)
  })

  test('is refused to those who may only watch', async () => {
    const { ada, tokenOf } = await streamRoom()
    expect((await broadcast(await tokenOf(ada))).status).toBe(403)
  })

  test.each([
    ['that is no offer', 'hello', 'application/sdp', 422],
    ['without tracks', 'v=0\r\n', 'application/sdp', 422],
    ['of another type', '{}', 'application/json', 400],
    ['that is too large', `v=0\r\n${'a=x\r\n'.repeat(20_000)}`, 'application/sdp', 400],
  ])('is refused with a body %s', async (_name, body, type, status) => {
    const { owner, tokenOf } = await streamRoom()
    expect((await broadcast(await tokenOf(owner), body, type)).status).toBe(status)
  })

  test('is refused without a valid token, and can be asked for by pages of other sites', async () => {
    expect((await broadcast('')).status).toBe(401)
    expect((await broadcast('a.b.c')).status).toBe(401)
    const preflight = await fetch(`${server.url}/whip/v1`, { method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  })
})
