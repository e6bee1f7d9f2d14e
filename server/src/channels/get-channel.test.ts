import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('getChannel', () => {
  test('is for members', async () => {
    const { at, channel, people, newPerson } = await channelFixture({ people: 1 })
    const [member] = people
    const stranger = await newPerson()

    expect(expectOk(await member.get(at))).toEqual({ id: channel.id, name: 'Ateliers', description: null })
    expect(await stranger.get(at)).toMatchObject({ status: 403, body: { reason: 'not_a_member' } })
    expect(await stranger.get(`/channels/${newId()}`)).toMatchObject({ status: 403, body: { reason: 'not_a_member' } })
  })
})
