import type { Role, Room } from '@portico/contract'
import type { Client } from './client.ts'
import type { OperationArgs, OperationName } from '../history/operations.ts'
import type { Random } from '../random/random.ts'
import type { ChannelLocks } from './channel-locks.ts'

/** How often the owner of a channel makes which change, relative to each other. */
const WEIGHTS = {
  createRoom: 3,
  deleteRoom: 2,
  toggleRoom: 5,
  admit: 5,
  override: 6,
  createRole: 2,
  changeRole: 4,
  deleteRole: 1,
  giveRoles: 6,
  mute: 5,
  unmute: 4,
  kick: 2,
  banAndLift: 1,
  reinstall: 2,
  rename: 1,
}

/** What a custom role or a room may give and take. */
const GIVEN = [
  'read_text_room',
  'write_text_room',
  'edit_text_msg_you_own',
  'delete_text_msg_you_own',
  'delete_text_msg_any',
  'react_text_msg',
  'pin_text_msg',
  'join_voice_room',
  'mute_chat_member',
  'kick_member',
]
const IN_ROOMS = ['read_text_room', 'write_text_room', 'react_text_msg', 'pin_text_msg']
const MOST_ROOMS = 12
const MOST_ROLES = 6

export interface ChannelOwnerOptions {
  /** Acts as the channel’s owner. */
  readonly client: Client
  readonly random: Random
  readonly locks: ChannelLocks
  readonly channelId: string
  /** Everyone who may be in the channel: accounts of people and bots. */
  readonly people: readonly string[]
  readonly bots: readonly { readonly id: string; readonly applicationId: string }[]
}

/** Changes rooms, roles, admissions and members of one channel while everybody else acts in it. */
export class ChannelOwner {
  readonly #client: Client
  readonly #random: Random
  readonly #locks: ChannelLocks
  readonly #options: ChannelOwnerOptions
  #made = 0

  constructor(options: ChannelOwnerOptions) {
    this.#client = options.client
    this.#random = options.random
    this.#locks = options.locks
    this.#options = options
  }

  async step(): Promise<void> {
    const act = this.#random.weighted(WEIGHTS)
    await this[act]()
  }

  async createRoom(): Promise<void> {
    if ((await this.#rooms()).length >= MOST_ROOMS) return
    const { channelId } = this.#options
    const type = this.#random.weighted({ text: 6, voice: 2, stream: 1 })
    // The name finds the room again if the answer is lost.
    const name = `berth ${(this.#made += 1)}`
    await this.#change('createRoom', { channelId, name, type, private: this.#random.chance(0.3) })
    await this.#rooms()
  }

  async deleteRoom(): Promise<void> {
    const rooms = await this.#rooms()
    if (rooms.length < MOST_ROOMS / 2) return
    const room = this.#random.pick(rooms)
    if (room) await this.#change('deleteRoom', this.#in(room))
  }

  async toggleRoom(): Promise<void> {
    const room = this.#random.pick(await this.#rooms())
    if (room) await this.#change('updateRoom', { ...this.#in(room), private: room.private !== true })
  }

  async admit(): Promise<void> {
    const room = this.#random.pick((await this.#rooms()).filter((one) => one.private))
    if (!room) return
    const roles = this.#random.some(await this.#roles(), 0.2)
    const memberIds = this.#random.some(await this.#members(), 0.25)
    await this.#change('setAdmissions', { ...this.#in(room), roleIds: roles.map(({ id }) => id), memberIds })
  }

  async override(): Promise<void> {
    const room = this.#random.pick(await this.#rooms())
    const role = this.#random.pick((await this.#roles()).filter(({ systemName }) => systemName !== 'CHANNEL_OWNER'))
    if (!room || !role) return
    const allow = this.#random.some(IN_ROOMS, 0.2)
    const deny = this.#random.some(IN_ROOMS, 0.25).filter((right) => !allow.includes(right))
    await this.#change('setOverride', { ...this.#in(room), roleId: role.id, allow, deny })
  }

  async createRole(): Promise<void> {
    if ((await this.#customRoles()).length >= MOST_ROLES) return
    const { channelId } = this.#options
    await this.#change('createRole', { channelId, name: `crew ${(this.#made += 1)}`, rights: this.#rights() })
    await this.#roles()
  }

  async changeRole(): Promise<void> {
    const { channelId } = this.#options
    const roles = (await this.#roles()).filter(({ systemName }) => systemName !== 'CHANNEL_OWNER')
    const role = this.#random.pick(roles)
    if (!role) return
    // The ordinary roles mostly allow what people need: otherwise soon nobody can do anything.
    const rights = role.systemName === 'CUSTOM' ? this.#rights() : role.rights.filter(() => this.#random.chance(0.97))
    const base = ['read_text_room', 'write_text_room'].filter(() => this.#random.chance(0.9))
    await this.#change('updateRole', { channelId, roleId: role.id, rights: [...new Set([...rights, ...base])] })
  }

  async deleteRole(): Promise<void> {
    const role = this.#random.pick(await this.#customRoles())
    if (role) await this.#change('deleteRole', { channelId: this.#options.channelId, roleId: role.id })
  }

  async giveRoles(): Promise<void> {
    const roles = await this.#roles()
    const userId = this.#random.pick((await this.#members()).filter((id) => id !== this.#client.actor.id))
    if (userId === undefined) return
    const isBot = this.#options.bots.some(({ id }) => id === userId)
    const names = isBot ? { CHANNEL_BOT: 1 } : { CHANNEL_MEMBER: 8, CHANNEL_MODERATOR: 2, CHANNEL_ADMIN: 1 }
    const system = this.#random.weighted<string>(names)
    const base = roles.filter(({ systemName }) => systemName === system)
    const custom = this.#random.some(await this.#customRoles(), 0.3)
    await this.#change('setMemberRoles', { ...this.#of(userId), roleIds: [...base, ...custom].map(({ id }) => id) })
  }

  async mute(): Promise<void> {
    const userId = await this.#someone()
    if (userId === undefined) return
    const durationSec = this.#random.chance(0.5) ? 5 + this.#random.integer(20) : undefined
    const name = this.#random.chance(0.7) ? 'muteChat' : 'muteVoice'
    await this.#change(name, { ...this.#of(userId), ...(durationSec !== undefined && { durationSec }) })
  }

  async unmute(): Promise<void> {
    const userId = await this.#someone()
    if (userId !== undefined)
      await this.#change(this.#random.chance(0.7) ? 'unmuteChat' : 'unmuteVoice', this.#of(userId))
  }

  async kick(): Promise<void> {
    const userId = await this.#someone()
    if (userId !== undefined) await this.#change('kick', this.#of(userId))
  }

  async banAndLift(): Promise<void> {
    const userId = await this.#someone()
    if (userId === undefined || !this.#options.people.includes(userId)) return
    const of = this.#of(userId)
    await this.#change('ban', of)
    await this.#change('liftBan', of)
  }

  async reinstall(): Promise<void> {
    const bot = this.#random.pick(this.#options.bots)
    if (!bot) return
    const { channelId } = this.#options
    const { applicationId } = bot
    if (this.#random.chance(0.4)) await this.#change('uninstall', { channelId, applicationId })
    else await this.#change('install', { channelId, applicationId })
  }

  async rename(): Promise<void> {
    const userId = await this.#someone()
    if (userId === undefined) return
    const nickname = this.#random.chance(0.7) ? `Mate ${(this.#made += 1)}` : null
    await this.#client.call('setNickname', { ...this.#of(userId), nickname })
  }

  #change: ChannelChange = (name, args) => this.#locks.change(this.#options.channelId, this.#client, name, args)

  #in({ id }: Pick<Room, 'id'>): { channelId: string; roomId: string } {
    return { channelId: this.#options.channelId, roomId: id }
  }

  #of(userId: string): { channelId: string; userId: string } {
    return { channelId: this.#options.channelId, userId }
  }

  #rights(): string[] {
    return this.#random.some(GIVEN, 0.4)
  }

  async #someone(): Promise<string | undefined> {
    return this.#random.pick((await this.#members()).filter((id) => id !== this.#client.actor.id))
  }

  async #rooms(): Promise<readonly Room[]> {
    const answer = await this.#client.call('listRooms', { channelId: this.#options.channelId })
    return answer?.status === 200 ? (answer.body as { rooms: Room[] }).rooms : []
  }

  async #roles(): Promise<readonly Role[]> {
    const answer = await this.#client.call('listRoles', { channelId: this.#options.channelId })
    return answer?.status === 200 ? (answer.body as { roles: Role[] }).roles : []
  }

  async #customRoles(): Promise<readonly Role[]> {
    return (await this.#roles()).filter(({ systemName }) => systemName === 'CUSTOM')
  }

  async #members(): Promise<readonly string[]> {
    const answer = await this.#client.call('listMembers', { channelId: this.#options.channelId, limit: 100 })
    return answer?.status === 200 ? (answer.body as { members: { id: string }[] }).members.map(({ id }) => id) : []
  }
}

type ChannelChange = <Name extends OperationName>(name: Name, args: OperationArgs<Name>) => Promise<unknown>
