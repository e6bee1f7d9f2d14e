import type { Answer } from '../../person.ts'
import type { AccessFixture } from '../../access-fixture.ts'

/** A change that the next request must see. */
export interface Change {
  readonly title: string
  /** The precondition. */
  readonly given?: (fixture: AccessFixture) => Promise<Answer>
  /** The statements that are sent for every request, because absent rows are not cached. */
  readonly reads?: readonly string[]
  readonly make: (fixture: AccessFixture) => Promise<Answer>
  /** Reverts it completely: the earlier responses return. */
  readonly undo?: (fixture: AccessFixture) => Promise<Answer>
  /** The requests whose responses change. */
  readonly seen: readonly string[]
}

const PLACED = [
  'channel',
  'rooms',
  'members',
  'send',
  'send in private',
  'history',
  'history of the private room',
  'edit',
  'react',
  'pin',
  'voice',
]
export const ON_CHANNEL = [...PLACED, 'mute Bob']
export const WITH_KEY = ['me', ...PLACED, 'commands', 'events token', 'mute Bob']
export const IN_PORTAL = [
  'person: channel',
  'person: rooms',
  'person: permissions',
  'person: send',
  'person: send in private',
  'person: history',
  'person: voice',
]

export const install = ({ owner, at, bot }: AccessFixture, role: object = {}) =>
  owner.put(`${at}/applications/${bot.application.id}`, role)
export const remove = ({ owner, at, bot }: AccessFixture) => owner.delete(`${at}/applications/${bot.application.id}`)
export const roles = async (
  fixture: AccessFixture,
  who: 'bot' | 'ada' | 'bob',
  ...given: Parameters<AccessFixture['give']>[1][]
) => {
  const ids = await Promise.all(given.map(async (one) => (typeof one === 'string' ? fixture.role(one) : one)))
  return fixture.owner.put(`${fixture.at}/members/${fixture[who].id}/roles`, { roleIds: ids.map(({ id }) => id) })
}
export const rights = async ({ owner, at }: AccessFixture, role: { id: string }, change: object) =>
  owner.patch(`${at}/roles/${role.id}`, change)
export const room = ({ owner, at, rooms }: AccessFixture, which: keyof AccessFixture['rooms'], change: object) =>
  owner.patch(`${at}/rooms/${rooms[which].id}`, change)
export const override = async (
  fixture: AccessFixture,
  which: keyof AccessFixture['rooms'],
  allow: string[],
  deny: string[],
) => {
  const { owner, at, rooms, role } = fixture
  const { id } = await role('CHANNEL_BOT')
  return owner.put(`${at}/rooms/${rooms[which].id}/overrides/${id}`, { allow, deny })
}
export const mute = ({ owner, at, bot }: AccessFixture, kind: 'chat' | 'voice', how: object = {}) =>
  owner.put(`${at}/members/${bot.id}/${kind}-mute`, how)
export const unmute = ({ owner, at, bot }: AccessFixture, kind: 'chat' | 'voice') =>
  owner.delete(`${at}/members/${bot.id}/${kind}-mute`)
