import type { OwnChannel } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('joinChannel', () => {
  test('adds anyone to an open channel, once', async () => {
    const { at, newPerson } = await channelFixture()
    const ada = await newPerson()
    const answers = await Promise.all([1, 2, 3, 4].map(() => ada.post<OwnChannel>(`${at}/join`)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(expectOk(await ada.post<OwnChannel>(`${at}/join`))).toMatchObject({
      memberCount: 2,
      role: { systemName: 'CHANNEL_MEMBER' },
    })
  })

  test('answers the same for a closed channel and a missing one', async () => {
    const { at, owner, newPerson } = await channelFixture()
    expectOk(await owner.patch(at, { open: false }))
    const ada = await newPerson()
    const closed = await ada.post(`${at}/join`)
    expect(closed).toMatchObject({ status: 422, body: { reason: 'not_an_open_channel' } })
    expect((await ada.post(`/channels/${newId()}/join`)).body).toEqual(closed.body)
    expect((await owner.post(`${at}/join`)).status).toBe(200)
  })

  test('does not readmit a member who was kicked', async () => {
    const { at, owner, people } = await channelFixture({ people: 1 })
    const [ada] = people
    expectOk(await owner.delete(`${at}/members/${ada.id}`))
    expect(await ada.post(`${at}/join`)).toMatchObject({ status: 403, body: { reason: 'kicked' } })
  })
})
