import type { Room } from '@portico/contract'
import { done, type World } from './world.ts'

/** Who is in the room of a world, and what bots were told of comings and goings there. */
export function staysIn({ owner, at, room, told }: Pick<World<0, 0>, 'owner' | 'at' | 'room' | 'told'>) {
  return {
    inside: async (): Promise<string[]> => {
      const { rooms } = done(await owner.get<{ rooms: Room[] }>(`${at}/rooms`))
      return rooms.find(({ id }) => id === room.id)?.users?.map(({ id }) => id) ?? []
    },
    told: async () => (await told()).map(({ event, data }) => [event, (data['user'] as { id: string }).id]),
  }
}
