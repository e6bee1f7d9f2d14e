import type { Tx } from '../../operations/transaction.ts'
import type { Role, Room } from '@portico/contract'
import type { Act } from './acting.ts'
import type { DemoChannel, DemoRoom } from './channels.ts'
import type { PersonKey } from './people.ts'

/** A person of the community, and the operations that they can call. */
export interface Resident {
  readonly id: string
  readonly act: Act
  /** For operations that have their own transaction elsewhere. */
  readonly tx: Tx
}

export type Residents = Readonly<Record<PersonKey, Resident>>

export interface MadeChannel {
  readonly id: string
  readonly plan: DemoChannel
  readonly roles: readonly Role[]
  readonly ownRole: Role
  readonly rooms: readonly MadeRoom[]
}

export interface MadeRoom {
  readonly id: string
  readonly plan: DemoRoom
}

/** Creates a channel as its owner would: people join by invitation and get roles and nicknames. */
export async function makeChannel(plan: DemoChannel, people: Residents): Promise<MadeChannel> {
  const { act } = people[plan.owner]
  const { name, description, open } = plan
  const { id: channelId } = await act('createChannel', { name, description, open })

  const { code } = await act('createInvitation', { channelId, maxUses: 100, lifeSec: null })
  for (const member of plan.members) await people[member].act('acceptInvitation', { code })
  await act('createInvitation', { channelId, maxUses: 5 })

  const { members: _, rights, ...named } = plan.role
  const ownRole = await act('createRole', { channelId, ...named, rights: [...rights] })
  const { roles } = await act('listRoles', { channelId })
  await giveRoles(channelId, plan, people, roles, ownRole)
  for (const [member, nickname] of Object.entries(plan.nicknames)) {
    const { id: userId, act: speak } = people[member as PersonKey]
    await speak('setNickname', { channelId, userId, nickname })
  }
  return { id: channelId, plan, roles, ownRole, rooms: await makeRooms(channelId, plan, people, ownRole) }
}

async function giveRoles(
  channelId: string,
  plan: DemoChannel,
  people: Residents,
  roles: readonly Role[],
  ownRole: Role,
): Promise<void> {
  const { administrators = [], moderators = [] } = plan
  for (const member of plan.members) {
    const system = administrators.includes(member)
      ? 'CHANNEL_ADMIN'
      : moderators.includes(member)
        ? 'CHANNEL_MODERATOR'
        : 'CHANNEL_MEMBER'
    const extra = plan.role.members.includes(member) ? [ownRole.id] : []
    if (system === 'CHANNEL_MEMBER' && extra.length === 0) continue
    const roleIds = [roleOf(roles, system).id, ...extra]
    await people[plan.owner].act('setMemberRoles', { channelId, userId: people[member].id, roleIds })
  }
}

export function roleOf(roles: readonly Role[], systemName: Role['systemName']): Role {
  const role = roles.find((one) => one.systemName === systemName)
  if (!role) throw new Error(`the channel has no ${systemName}`)
  return role
}

async function makeRooms(channelId: string, plan: DemoChannel, people: Residents, ownRole: Role): Promise<MadeRoom[]> {
  const { act } = people[plan.owner]
  const { rooms: born } = await act('listRooms', { channelId })
  const unused = [...born]
  const made: MadeRoom[] = []
  const order: { id: string; categoryId: string }[] = []
  for (const category of plan.categories) {
    const { id: categoryId } = await act('createCategory', { channelId, name: category.name })
    for (const room of category.rooms) {
      const { id } = await makeRoom(act, channelId, room, unused)
      if (room.allowRole) {
        await act('setRoomOverride', {
          channelId,
          roomId: id,
          roleId: ownRole.id,
          allow: [...room.allowRole],
          deny: [],
        })
      }
      if (room.admitted) {
        const memberIds = [plan.owner, ...room.admitted].map((member) => people[member].id)
        await act('setRoomAdmissions', { channelId, roomId: id, roleIds: [], memberIds })
      }
      made.push({ id, plan: room })
      order.push({ id, categoryId })
    }
  }
  await act('sortRooms', { channelId, rooms: order })
  return made
}

/** A channel starts with two rooms, which are used first. */
async function makeRoom(act: Act, channelId: string, room: DemoRoom, unused: Room[]): Promise<Room> {
  const { name, type, topic = null, userLimit, private: isPrivate = false, writeRestricted = false } = room
  const wanted = { channelId, name, topic, private: isPrivate, writeRestricted, ...(userLimit && { userLimit }) }
  const at = unused.findIndex((one) => one.type === type)
  const [born] = at < 0 ? [] : unused.splice(at, 1)
  return born ? act('updateRoom', { ...wanted, roomId: born.id }) : act('createRoom', { ...wanted, type })
}
