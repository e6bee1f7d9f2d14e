import type { Output, OwnChannel, Room } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { recordedSdp } from '../../../media/test/recorded-sdp.ts'
import { postOffer } from '../../test/media/whip-client.ts'
import type { Person } from '../../test/person.ts'
import { MEDIA_ON } from '../../test/start-server.ts'

const { server } = await portal(MEDIA_ON)

const offer = (key: string) => postOffer(server, key, recordedSdp('obs-whip'))

/** A stream key of this person for a new channel of their own. */
async function keyInNewChannel(person: Person): Promise<string> {
  const { id } = expectOk(await person.post<OwnChannel>('/channels', { name: 'Ateliers', open: true }))
  const room = expectOk(await person.post<Room>(`/channels/${id}/rooms`, { name: 'stage', type: 'stream' }))
  return expectOk(await person.put<Output<typeof api.issueStreamKey>>(`/rooms/${room.id}/stream-key`)).key
}

describe('someone who broadcasts in many channels', () => {
  test('may have four broadcasts, and begins another when one of them has ended', async () => {
    const { owner, people } = await channelFixture({ people: 1 })
    const keys: string[] = []
    for (let made = 0; made < 5; made += 1) keys.push(await keyInNewChannel(owner))
    const [first = '', ...others] = keys
    const last = others.pop() ?? ''
    const begun = await offer(first)
    for (const key of others) expect((await offer(key)).status).toBe(201)
    const refused = await offer(last)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('30')
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining('You have 4 broadcasts') })
    expect((await offer(await keyInNewChannel(people[0]))).status).toBe(201)

    const location = new URL(begun.headers.get('location') ?? '', server.url)
    await fetch(location, { method: 'DELETE', headers: { authorization: `Bearer ${first}` } })
    expect((await offer(last)).status).toBe(201)
  })
})
