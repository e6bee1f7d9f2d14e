import type { Room } from '@portico/contract'
import { expectOk, type ChannelFixture } from './channel-fixture.ts'

/** Who is in the voice room of a fixture, and the events that bots received. */
export function voiceOccupants({
  owner,
  at,
  room,
  publishedEvents,
}: Pick<ChannelFixture<0, 0>, 'owner' | 'at' | 'room' | 'publishedEvents'>) {
  return {
    inside: async (): Promise<string[]> => {
      const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`${at}/rooms`))
      return rooms.find(({ id }) => id === room.id)?.users?.map(({ id }) => id) ?? []
    },
    events: async () =>
      (await publishedEvents()).map(({ event, data }) => [event, (data['user'] as { id: string }).id]),
  }
}
