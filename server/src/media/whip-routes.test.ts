import { LIMITS, type Output, type Room, type VoiceSession } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk, newPortal, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { freePort } from '../../test/free-port.ts'
import { MediaClient } from '../../../media/test/media-client.ts'
import { MediaServer } from '../../test/media-server.ts'
import { recordedSdp } from '../../../media/test/recorded-sdp.ts'
import { postOffer, WhipClient } from '../../test/media/whip-client.ts'
import type { Person } from '../../test/person.ts'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { MEDIA_ON } from '../../test/start-server.ts'
import { openClient } from '../db/open-database.ts'

const { server, administrator } = await portal(MEDIA_ON)

/** A stream room, its owner's stream key, and someone who may only watch. */
async function streamRoom(at?: Awaited<ReturnType<typeof newPortal>>) {
  const fixture = await channelFixture({ people: 1, room: 'stream', ...(at && { portal: at }) })
  const { owner, people, room, channel, at: path } = fixture
  const [ada] = people
  const issue = async (person: Person = owner): Promise<string> =>
    expectOk(await person.put<Output<typeof api.issueStreamKey>>(`/rooms/${room.id}/stream-key`)).key
  const users = async () => {
    const { rooms } = expectOk(await ada.get<{ rooms: Room[] }>(`${path}/rooms`))
    return rooms.find(({ id }) => id === room.id)?.users ?? []
  }
  return {
    ...fixture,
    ada,
    issue,
    key: await issue(),
    tokenOf: async (person: Person): Promise<string> =>
      expectOk(await person.post<VoiceSession>(`/rooms/${room.id}/voice`, { channelId: channel.id })).token,
    inside: async () => (await users()).map(({ id }) => id),
    live: async () => (await users()).filter((user) => user.live).map(({ id }) => id),
  }
}

const offer = (key: string, body = recordedSdp('obs-whip'), type?: string) => postOffer(server, key, body, type)

describe('a broadcast with OBS', () => {
  test('is answered, announced to viewers with the person’s name, and ended by a DELETE', async () => {
    const { owner, ada, key, issue, give, tokenOf, inside } = await streamRoom()
    const viewer = await MediaClient.connect(server.url, await tokenOf(ada))
    const answer = await offer(key)
    expect(answer.status).toBe(201)
    expect(answer.headers.get('content-type')).toBe('application/sdp')
    expect(answer.headers.get('etag')).toMatch(/^"[\w+/]+"$/)
    expect(answer.headers.get('access-control-expose-headers')).toBe('location, etag, link')
    const sdp = await answer.text()
    expect(sdp).toContain('a=setup:passive')
    expect(sdp.match(/a=recvonly/g)).toHaveLength(2)
    expect(sdp).toContain('H264/90000')

    const live = await viewer.signal.next('update', ({ participants: [first] }) => first?.tracks.length === 2)
    expect(live.participants[0]).toMatchObject({ identity: `${owner.id}:whip`, name: owner.name })
    const offered = await viewer.signal.next('offer', ({ midToTrackId }) => Object.keys(midToTrackId).length === 2)
    expect(offered.sdp).toContain('H264/90000')
    expect(await inside()).toContain(owner.id)

    const location = new URL(answer.headers.get('location') ?? '', server.url)
    const end = (bearer: string) =>
      fetch(location, { method: 'DELETE', headers: { authorization: `Bearer ${bearer}` } })
    await give(ada, 'CHANNEL_MODERATOR')
    expect((await end('')).status).toBe(401)
    expect((await end(await issue(ada))).status).toBe(404)
    expect((await end(key)).status).toBe(200)
    await viewer.signal.next('update', ({ participants: [first] }) => first?.tracks.length === 0)
    expect(await inside()).toEqual([ada.id])
    expect((await end(key)).status).toBe(404)
  })

  test('reaches viewers, and shows its person as live only while media flows', async () => {
    const { owner, ada, key, tokenOf, live, inside } = await streamRoom()
    const viewer = await MediaClient.connect(server.url, await tokenOf(ada))
    expect((await offer(key)).status).toBe(201)
    const connections = (await server.services.embeddedMedia?.connections()) ?? []
    const own = connections.find(({ identity }) => identity === owner.id)
    expect(own).toMatchObject({ hasMedia: false, isLive: false })
    const program = await WhipClient.begin(server, key)
    await eventually(live).toEqual([owner.id])
    await eventually(() => {
      program.say('hello')
      return viewer.heard
    }).toContain('hello')
    expect((await program.end()).status).toBe(200)
    await eventually(live).toEqual([])
    expect(await inside()).toEqual([ada.id])
  })

  test('goes on next to the person’s own window, which stays when it ends', async () => {
    const { owner, key, tokenOf, inside } = await streamRoom()
    const window = await MediaClient.connect(server.url, await tokenOf(owner))
    await window.signal.next('join')
    const program = await WhipClient.begin(server, key)
    await window.signal.next('update', ({ participants: [first] }) => first?.identity === `${owner.id}:whip`)
    expect((await program.end()).status).toBe(200)
    expect(window.signal.closed).toBeUndefined()
    expect(await inside()).toEqual([owner.id])
  })

  test('is replaced by the next one with the same key', async () => {
    const { owner, ada, key, tokenOf, live } = await streamRoom()
    const viewer = await MediaClient.connect(server.url, await tokenOf(ada))
    const first = await WhipClient.begin(server, key)
    const second = await WhipClient.begin(server, key)
    expect((await first.end()).status).toBe(404)
    await eventually(() => {
      first.say('first')
      second.say('second')
      return viewer.heard
    }).toContain('second')
    expect(viewer.heard).not.toContain('first')
    await eventually(live).toEqual([owner.id])
  })

  test('goes on with new ICE credentials after a restart', async () => {
    const { ada, key, tokenOf } = await streamRoom()
    const viewer = await MediaClient.connect(server.url, await tokenOf(ada))
    const program = await WhipClient.begin(server, key)
    const candidate = 'm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:1\r\na=candidate:1 1 udp 1 127.0.0.1 9 typ host\r\n'
    expect((await program.patch(candidate)).status).toBe(428)
    expect((await program.patch(candidate, { 'if-match': '"another"' })).status).toBe(412)
    expect((await program.patch(candidate, { 'if-match': program.etag })).status).toBe(204)

    const restarted = await program.patch('a=ice-ufrag:again\r\na=ice-pwd:a+password+of+22+chars\r\n', {
      'if-match': '*',
    })
    expect(restarted.status).toBe(200)
    expect(restarted.headers.get('content-type')).toBe('application/trickle-ice-sdpfrag')
    expect(restarted.headers.get('etag')).not.toBe(program.etag)
    expect((await program.patch(candidate, { 'if-match': program.etag })).status).toBe(412)
    await program.connect(await restarted.text())
    await eventually(() => {
      program.say('still here')
      return viewer.heard
    }).toContain('still here')
  })
})

describe('a running broadcast', () => {
  test('ends when its key is re-issued, and the old key is refused', async () => {
    const { owner, ada, key, issue, tokenOf, live, inside } = await streamRoom()
    await tokenOf(ada)
    await WhipClient.begin(server, key)
    await eventually(live).toEqual([owner.id])
    const next = await issue()
    await eventually(inside).toEqual([ada.id])
    expect((await offer(key)).status).toBe(401)
    await WhipClient.begin(server, next)
    await eventually(live).toEqual([owner.id])
  })

  test('does not begin if its key is re-issued in the same moment', async () => {
    const { key, room, inside } = await streamRoom()
    const lock = await openClient({ url: server.services.config.DATABASE_URL ?? '' })
    onTestFinished(() => lock.end())
    // The program waits between the check of its key and its entrance.
    await lock.query('BEGIN; LOCK TABLE voice_sessions IN EXCLUSIVE MODE')
    const answering = offer(key)
    // Not just anyone who waits: sessions of other tests may end meanwhile.
    const waiting = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'insert into "voice_sessions"%'`
    await eventually(() => queryDatabaseOf(server, waiting)).toHaveLength(1)
    // As another request does that has looked for a broadcast to end, and found none.
    await queryDatabaseOf(server, `UPDATE stream_keys SET key_hash = '\\x00' WHERE room_id = '${room.id}'`)
    await lock.query('ROLLBACK')
    expect((await answering).status).toBe(401)
    expect(await connectedTo(room.id)()).toEqual([])
    expect(await inside()).toEqual([])
  })

  test('ends when its key is revoked', async () => {
    const { owner, key, room, inside } = await streamRoom()
    const program = await WhipClient.begin(server, key)
    expectOk(await owner.delete(`/rooms/${room.id}/stream-key`))
    await eventually(inside).toEqual([])
    expect((await program.end()).status).toBe(401)
    expect((await offer(key)).status).toBe(401)
  })

  test('ends when its person is muted, and may not begin again before the mute is lifted', async () => {
    const { ada, issue, give, owner, at, live } = await streamRoom()
    await give(ada, 'CHANNEL_MODERATOR')
    const key = await issue(ada)
    await WhipClient.begin(server, key)
    await eventually(live).toEqual([ada.id])
    expectOk(await owner.put(`${at}/members/${ada.id}/voice-mute`, {}))
    await eventually(live).toEqual([])
    expect((await offer(key)).status).toBe(403)
    expectOk(await owner.delete(`${at}/members/${ada.id}/voice-mute`))
    expect((await offer(key)).status).toBe(201)
  })

  test('ends when its person is removed from the channel, with the key', async () => {
    const { ada, issue, give, owner, at, room } = await streamRoom()
    await give(ada, 'CHANNEL_MODERATOR')
    const key = await issue(ada)
    const program = await WhipClient.begin(server, key)
    expectOk(await owner.delete(`${at}/members/${ada.id}`))
    await eventually(connectedTo(room.id)).toEqual([])
    expect((await program.end()).status).toBe(401)
    expect((await offer(key)).status).toBe(401)
  })

  test('ends when its person is disabled; the key works again when they are enabled', async () => {
    const { ada, issue, give, room } = await streamRoom()
    await give(ada, 'CHANNEL_MODERATOR')
    const key = await issue(ada)
    await WhipClient.begin(server, key)
    const disable = async (disabled: boolean) =>
      expectOk(await administrator.patch(`/administration/people/${ada.id}`, { disabled }))
    await disable(true)
    await eventually(connectedTo(room.id)).toEqual([])
    expect((await offer(key)).status).toBe(401)
    await disable(false)
    expect((await offer(key)).status).toBe(201)
  })

  test('ends when its person loses the right to broadcast', async () => {
    const { ada, issue, give, live } = await streamRoom()
    await give(ada, 'CHANNEL_MODERATOR')
    const key = await issue(ada)
    await WhipClient.begin(server, key)
    await eventually(live).toEqual([ada.id])
    await give(ada, 'CHANNEL_MEMBER')
    expect((await offer(key)).status).toBe(403)
    await eventually(live).toEqual([])
  })
})

describe('POST /whip/v1', () => {
  test.each([
    ['that is no offer', 'hello', 'application/sdp', 422],
    ['without tracks', 'v=0\r\n', 'application/sdp', 422],
    ['with codecs that nobody can watch', recordedSdp('obs-whip').replaceAll(/H264|opus/g, 'AV1'), undefined, 422],
    ['of another type', '{}', 'application/json', 415],
    ['that is too large', `v=0\r\n${'a=x\r\n'.repeat(20_000)}`, 'application/sdp', 413],
  ])('refuses a body %s, and lets nobody into the room', async (_name, body, type, status) => {
    const { key, inside } = await streamRoom()
    expect((await offer(key, body, type)).status).toBe(status)
    expect(await inside()).toEqual([])
  })

  test('refuses a request without a body', async () => {
    const { key } = await streamRoom()
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${server.url}/whip/v1`, { method: 'POST', headers })).status).toBe(415)
  })

  test('refuses everyone without a stream key', async () => {
    const { owner, tokenOf, key } = await streamRoom()
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
    for (const bearer of ['', 'a.b.c', wrong, await tokenOf(owner)]) {
      const answer = await offer(bearer)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  test('can be called by pages of other sites, and reserves the other methods', async () => {
    const preflight = await fetch(`${server.url}/whip/v1`, { method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization')
    expect(preflight.headers.get('accept-post')).toBe('application/sdp')
    const refused = await offer('')
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await fetch(`${server.url}/whip/v1`, { method })
      expect(answer.status).toBe(405)
      expect(answer.headers.get('allow')).toBe('POST, OPTIONS')
    }
    for (const method of ['GET', 'HEAD', 'PUT', 'POST']) {
      expect((await fetch(`${server.url}/whip/v1/PA_any`, { method })).status).toBe(405)
    }
  })

  test('names the TURN servers of the portal', async () => {
    const relayed = await newPortal({
      ...MEDIA_ON,
      TURN_URL: 'turn:turn.example',
      TURN_SECRET: 'a shared secret of both',
    })
    const { key } = await streamRoom(relayed)
    const answer = await postOffer(relayed.server, key, recordedSdp('obs-whip'))
    expect(answer.status).toBe(201)
    expect(answer.headers.get('link')).toMatch(
      /^<turn:turn\.example>; rel="ice-server"; username="\d+:portico"; credential="[^"]+"; credential-type="password"$/,
    )
  })

  test('answers 503 while the media server is being restarted', async () => {
    const restarting = await newPortal({ ...MEDIA_ON, MEDIA_PORT: String(await freePort()) })
    const { key, inside } = await streamRoom(restarting)
    const media = restarting.server.services.embeddedMedia
    await media?.stop()
    const answer = await postOffer(restarting.server, key, recordedSdp('obs-whip'))
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await inside()).toEqual([])
    await media?.start()
    expect((await postOffer(restarting.server, key, recordedSdp('obs-whip'))).status).toBe(201)
  })

  test('answers 429 to one broadcast more than a channel may have, and lets nobody into the room', async () => {
    const many: number = LIMITS.broadcastsOfChannel + 1
    const busy = await newPortal(MEDIA_ON)
    const { people, role, owner, at, room } = await channelFixture({ people: many, room: 'stream', portal: busy })
    const { id, rights } = await role('CHANNEL_MEMBER')
    expectOk(await owner.patch(`${at}/roles/${id}`, { rights: [...rights, 'start_broadcast'] }))
    const issue = async (person: Person): Promise<string> =>
      expectOk(await person.put<Output<typeof api.issueStreamKey>>(`/rooms/${room.id}/stream-key`)).key
    const begin = (key: string): Promise<Response> => postOffer(busy.server, key, recordedSdp('obs-whip'))
    const [last, ...first] = people
    const lastKey = await issue(last!)
    const keys = await Promise.all(first.map(issue))
    // All at once: a broadcast that doesn't connect ends after a while.
    const begun = await Promise.all(keys.map(begin))
    expect(begun.filter(({ status }) => status === 201)).toHaveLength(LIMITS.broadcastsOfChannel)
    const answer = await begin(lastKey)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '30'])
    const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`${at}/rooms`))
    const inside = rooms.find((each) => each.id === room.id)?.users?.map((user) => user.id)
    expect(inside).toHaveLength(LIMITS.broadcastsOfChannel)
    expect(inside).not.toContain(last?.id)
  })

  test('limits how often one person begins', async () => {
    const strict = await newPortal({ ...MEDIA_ON, RATE_LIMIT_FACTOR: '0.1' })
    const { key } = await streamRoom(strict)
    const begin = () => postOffer(strict.server, key, recordedSdp('obs-whip'))
    expect([(await begin()).status, (await begin()).status, (await begin()).status]).toEqual([201, 201, 429])
  })

  test('explains itself where media is turned off or external', async () => {
    const off = await newPortal()
    const answer = await postOffer(off.server, 'any', 'v=0\r\n')
    expect(answer.status).toBe(501)
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining('MEDIA=off') })

    const external = await newPortal((await MediaServer.start()).settings)
    const other = await postOffer(external.server, 'any', 'v=0\r\n')
    expect(other.status).toBe(501)
    expect(await other.json()).toMatchObject({ message: expect.stringContaining('ingress') })
  })
})

/** Who is connected in a room. */
function connectedTo(roomId: string): () => Promise<string[]> {
  return async () => {
    const all = (await server.services.embeddedMedia?.connections()) ?? []
    return all.filter((connection) => connection.roomId === roomId).map(({ identity }) => identity)
  }
}
