import type { OwnChannel, Right, Role, Room, RoomType, Scope, SystemRole } from '@portico/contract'
import type { Log } from '../src/telemetry/log.ts'
import { Bot } from './bot.ts'
import { expectOk } from './expect-ok.ts'
import { oncePerFile } from './file-end.ts'
import { newAdministrator, newPerson } from './new-person.ts'
import type { Person } from './person.ts'
import { startServer, type TestServer } from './start-server.ts'

export { expectOk }

export interface FixtureOptions<N extends number, B extends number> {
  /** How many people join the channel in addition to its owner. */
  people?: N
  /** How many bots are installed in the channel, with the role CHANNEL_BOT. */
  bots?: B
  /** The scopes of their keys; by default all. */
  scopes?: readonly Scope[]
  /** `usual`: the default quotas. Lifted by default, so that other tests don't hit them. */
  quotas?: 'usual' | 'lifted'
  /** The type of the room that is created for the test. */
  room?: RoomType
  /** By default the one of the test file. */
  portal?: Portal
}

/** A server, and the administrator that it was set up with. */
export interface Portal {
  readonly server: TestServer
  readonly administrator: Person
}

/** An event as it is in the log: the envelope that every transport sends. */
export interface EventEnvelope {
  readonly event: string
  readonly timestamp: string
  readonly channelId: string
  readonly data: Record<string, unknown>
}

export interface ChannelFixture<N extends number, B extends number> {
  readonly server: TestServer
  readonly owner: Person
  readonly people: Several<Person, N>
  readonly bots: Several<Bot, B>
  /** An open channel, new for this test. */
  readonly channel: OwnChannel
  /** The channel's path in the API. */
  readonly at: string
  readonly room: Room & { readonly channelId: string }
  /** Someone with an account who is not in the channel. */
  newPerson(): Promise<Person>
  roles(): Promise<Role[]>
  role(systemName: SystemRole): Promise<Role>
  /** Creates a custom role. */
  newRole(name: string, rights: Role['rights']): Promise<Role>
  /** Sets the roles of a member: one system role, and any custom roles. */
  give(member: { readonly id: string }, ...roles: (SystemRole | Role)[]): Promise<void>
  /** Gives a bot exactly these rights, and a rank just above ordinary members. Removes all rights of CHANNEL_BOT. */
  allow(bot: Bot, ...rights: Right[]): Promise<void>
  newRoom(
    type: RoomType,
    settings?: { private?: boolean; userLimit?: number; writeRestricted?: boolean },
  ): Promise<Room>
  newBot(wish?: Pick<FixtureOptions<0, 0>, 'scopes' | 'quotas'>): Promise<Bot>
  install(bot: Bot): Promise<void>
  /** The events of the channel for bots, in order. */
  publishedEvents(): Promise<EventEnvelope[]>
}

type Several<T, N extends number, Made extends T[] = []> = number extends N
  ? T[]
  : Made['length'] extends N
    ? Made
    : Several<T, N, [...Made, T]>

/** People, bots and a channel with a room, new for each call, on the server of the test file. */
export async function channelFixture<const N extends number = 0, const B extends number = 0>(
  wish: FixtureOptions<N, B> = {},
): Promise<ChannelFixture<N, B>> {
  const { server, administrator } = wish.portal ?? (await portal())
  const owner = await newPerson(server)
  const channel = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Ateliers', open: true }))
  const at = `/channels/${channel.id}`
  const newRoom: ChannelFixture<N, B>['newRoom'] = async (type, settings = {}) =>
    expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'workshop', type, ...settings }))
  const room = await newRoom(wish.room ?? 'text')

  const people: Person[] = []
  while (people.length < (wish.people ?? 0)) {
    const person = await newPerson(server)
    expectOk(await person.post(`${at}/join`))
    people.push(person)
  }

  const install = async (bot: Bot): Promise<void> => {
    expectOk(await owner.put(`${at}/applications/${bot.application.id}`, {}))
  }
  const newBot: ChannelFixture<N, B>['newBot'] = async ({ scopes, quotas } = wish) => {
    const bot = await Bot.of(server, owner, `Bot ${(named += 1)}`, scopes)
    if (quotas !== 'usual') expectOk(await administrator.put(`/applications/${bot.application.id}/limits`, NO_QUOTAS))
    await install(bot)
    return bot
  }
  const bots: Bot[] = []
  while (bots.length < (wish.bots ?? 0)) bots.push(await newBot())

  const roles = async (): Promise<Role[]> => expectOk(await owner.get<{ roles: Role[] }>(`${at}/roles`)).roles
  const role = async (systemName: SystemRole): Promise<Role> => {
    const found = (await roles()).find((role) => role.systemName === systemName)
    if (!found) throw new Error(`the channel has no ${systemName}`)
    return found
  }
  const newRole: ChannelFixture<N, B>['newRole'] = async (name, rights) =>
    expectOk(await owner.post<Role>(`${at}/roles`, { name, rights }))
  const give: ChannelFixture<N, B>['give'] = async (member, ...given) => {
    const all = await Promise.all(given.map(async (one) => (typeof one === 'string' ? role(one) : one)))
    expectOk(await owner.put(`${at}/members/${member.id}/roles`, { roleIds: all.map(({ id }) => id) }))
  }
  return {
    server,
    owner,
    people: people as Several<Person, N>,
    bots: bots as Several<Bot, B>,
    channel,
    at,
    room: { ...room, channelId: channel.id },
    newPerson: () => newPerson(server),
    newRoom,
    newBot,
    install,
    roles,
    role,
    newRole,
    give,
    allow: async (bot, ...rights) => {
      expectOk(await owner.patch(`${at}/roles/${(await role('CHANNEL_BOT')).id}`, { rights: [] }))
      await give(bot, 'CHANNEL_BOT', await newRole('Allowed', rights))
    },
    publishedEvents: async () => {
      const { kysely } = server.services.database
      const events = kysely.selectFrom('events').select('body').where('channel_id', '=', channel.id)
      const rows = await events.where('audience', '=', 'bots').orderBy('seq').execute()
      return rows.map(({ body }) => JSON.parse(body) as EventEnvelope)
    },
  }
}

const NO_QUOTAS = { requests: 1_000_000, writes: 1_000_000 }
let named = 0

export async function newPortal(settings: Record<string, string> = {}, log?: Log): Promise<Portal> {
  const server = await startServer(settings, log)
  return { server, administrator: await newAdministrator(server) }
}

/** The server of the test file and its first administrator. The first call determines the settings. */
export const portal = oncePerFile(newPortal)
