import type { OwnChannel, Role, Room, RoomType, SystemRole } from '@portico/contract'
import { setUpCode } from '../src/accounts/set-up.ts'
import { Person, type Answer } from './person.ts'
import { startServer, type TestServer } from './start-server.ts'

export interface Wish<N extends number> {
  /** How many people join the channel beside its owner. */
  people?: N
  /** The type of the room that is made for the test. */
  room?: RoomType
}

export interface World<N extends number> {
  readonly server: TestServer
  readonly owner: Person
  readonly people: Several<Person, N>
  /** A channel that anybody may join, new for this test. */
  readonly channel: OwnChannel
  /** Where the channel is: for paths. */
  readonly at: string
  readonly room: Room & { readonly channelId: string }
  /** Somebody with an account who is not on the channel. */
  newcomer(): Promise<Person>
  roles(): Promise<Role[]>
  role(systemName: SystemRole): Promise<Role>
  /** A role of the channel's own making. */
  newRole(name: string, rights: Role['rights']): Promise<Role>
  /** Makes these the roles of a member: one system role, and others. */
  give(person: Person, ...roles: (SystemRole | Role)[]): Promise<void>
}

type Several<T, N extends number, Made extends T[] = []> = number extends N
  ? T[]
  : Made['length'] extends N
    ? Made
    : Several<T, N, [...Made, T]>

/** People and a channel with a room, new for each call, on the one server of the test file. */
export async function world<const N extends number = 0>(wish: Wish<N> = {}): Promise<World<N>> {
  const { server } = await portal()
  const newcomer = (): Promise<Person> => new Person(server).signUp()
  const owner = await newcomer()
  const channel = done(await owner.post<OwnChannel>('/channels', { name: 'Ateliers', open: true }))
  const at = `/channels/${channel.id}`
  const room = done(await owner.post<Room>(`${at}/rooms`, { name: 'workshop', type: wish.room ?? 'text' }))

  const people: Person[] = []
  while (people.length < (wish.people ?? 0)) {
    const person = await newcomer()
    done(await person.post(`${at}/join`))
    people.push(person)
  }

  const roles = async (): Promise<Role[]> => done(await owner.get<{ roles: Role[] }>(`${at}/roles`)).roles
  const role = async (systemName: SystemRole): Promise<Role> => {
    const found = (await roles()).find((role) => role.systemName === systemName)
    if (!found) throw new Error(`the channel has no ${systemName}`)
    return found
  }
  return {
    server,
    owner,
    people: people as Several<Person, N>,
    channel,
    at,
    room: { ...room, channelId: channel.id },
    newcomer,
    roles,
    role,
    newRole: async (name, rights) => done(await owner.post<Role>(`${at}/roles`, { name, rights })),
    give: async (person, ...given) => {
      const all = await Promise.all(given.map(async (one) => (typeof one === 'string' ? role(one) : one)))
      done(await owner.put(`${at}/members/${person.id}/roles`, { roleIds: all.map(({ id }) => id) }))
    },
  }
}

let started: Promise<{ server: TestServer; administrator: Person }> | undefined

/** The one server of the test file, and the administrator that it was set up with. */
export function portal(): Promise<{ server: TestServer; administrator: Person }> {
  started ??= startServer().then(async (server) => ({
    server,
    administrator: await new Person(server).setUp(setUpCode(server.parts.secret)),
  }))
  return started
}

/** The body of an answer that must be a success. */
export function done<T>(answer: Answer<T>): T {
  if (answer.status < 300) return answer.body
  throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
}
