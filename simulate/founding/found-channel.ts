import type { OwnChannel, Room } from '@portico/contract'
import { nextText } from '../actors/texts.ts'
import type { Client } from '../actors/client.ts'
import type { Random } from '../random/random.ts'
import { ROOMS } from './roster.ts'
import { must } from './must.ts'

/** How many messages each text room has from the start. */
const OLD_MESSAGES = 12
/** The share of the members who may enter the private rooms, and of those with a nickname. */
const ADMITTED = 0.3
const NAMED = 0.3

export async function foundChannel(owner: Client, name: string): Promise<string> {
  const { body } = await must(owner, 'createChannel', { name, open: true })
  const channelId = (body as OwnChannel).id
  for (const room of ROOMS) await must(owner, 'createRoom', { channelId, ...room })
  await listAll(owner, channelId)
  return channelId
}

interface SettledOptions {
  readonly owner: Client
  readonly channelId: string
  readonly members: readonly Client[]
  readonly random: Random
}

/** Old messages, nicknames, and members of the private rooms, as if the channel had existed for a while. */
export async function settleChannel({ owner, channelId, members, random }: SettledOptions): Promise<void> {
  for (const room of await listAll(owner, channelId)) {
    if (room.private) {
      const admitted = new Set([owner, ...random.some(members, ADMITTED)].map(({ actor }) => actor.id))
      await must(owner, 'setAdmissions', { channelId, roomId: room.id, roleIds: [], memberIds: [...admitted] })
    }
    if (room.type !== 'text') continue
    for (let written = 0; written < OLD_MESSAGES; written += 1) {
      const writer = room.private ? owner : (random.pick(members) ?? owner)
      await must(writer, 'send', { channelId, roomId: room.id, text: nextText(random) })
    }
  }
  for (const [position, { actor }] of random.some(members, NAMED).entries()) {
    if (actor.id === owner.actor.id) continue
    await must(owner, 'setNickname', { channelId, userId: actor.id, nickname: `Bosun ${position + 1}` })
  }
}

/** The model learns rooms and roles from what their owner is shown. */
async function listAll(owner: Client, channelId: string): Promise<readonly Room[]> {
  await must(owner, 'listRoles', { channelId })
  const { body } = await must(owner, 'listRooms', { channelId })
  return (body as { rooms: Room[] }).rooms
}
