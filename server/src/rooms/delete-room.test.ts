import type { Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

type Rooms = Output<typeof api.listRooms>

describe('deleteRoom', () => {
  test('deletes the room with its overrides and admissions', async () => {
    const { at, room, owner, role } = await channelFixture()
    const place = `${at}/rooms/${room.id}`
    expectOk(
      await owner.put(`${place}/overrides/${(await role('CHANNEL_BOT')).id}`, { allow: [], deny: ['write_text_room'] }),
    )
    expectOk(await owner.put(`${place}/admissions`, { roleIds: [], memberIds: [owner.id] }))
    expect((await owner.delete(place)).status).toBe(204)
    const { rooms } = expectOk(await owner.get<Rooms>(`${at}/rooms`))
    expect(rooms.map(({ name }) => name)).toEqual(['general', 'Lounge'])
    expect((await owner.delete(place)).status).toBe(422)
  })
})
