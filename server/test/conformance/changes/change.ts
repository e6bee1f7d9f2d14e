import type { Answer } from '../../person.ts'
import type { Changeable } from '../../changeable.ts'

/** Something that somebody changes while others ask. */
export interface Change {
  readonly title: string
  /** What must have happened before anybody asks. */
  readonly given?: (stand: Changeable) => Promise<Answer>
  /** The statements that are then sent again and again: what is not there is not remembered. */
  readonly reads?: readonly string[]
  readonly make: (stand: Changeable) => Promise<Answer>
  /** Takes it back entirely: what was told before is told again. */
  readonly undo?: (stand: Changeable) => Promise<Answer>
  /** The questions that are then answered differently. */
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
  'person: standing',
  'person: send',
  'person: send in private',
  'person: history',
  'person: voice',
]

export const install = ({ owner, at, bot }: Changeable, role: object = {}) =>
  owner.put(`${at}/applications/${bot.application.id}`, role)
export const remove = ({ owner, at, bot }: Changeable) => owner.delete(`${at}/applications/${bot.application.id}`)
export const roles = async (
  stand: Changeable,
  who: 'bot' | 'ada' | 'bob',
  ...given: Parameters<Changeable['give']>[1][]
) => {
  const ids = await Promise.all(given.map(async (one) => (typeof one === 'string' ? stand.role(one) : one)))
  return stand.owner.put(`${stand.at}/members/${stand[who].id}/roles`, { roleIds: ids.map(({ id }) => id) })
}
export const rights = async ({ owner, at }: Changeable, role: { id: string }, change: object) =>
  owner.patch(`${at}/roles/${role.id}`, change)
export const room = ({ owner, at, rooms }: Changeable, which: keyof Changeable['rooms'], change: object) =>
  owner.patch(`${at}/rooms/${rooms[which].id}`, change)
export const override = async (
  stand: Changeable,
  which: keyof Changeable['rooms'],
  allow: string[],
  deny: string[],
) => {
  const { owner, at, rooms, role } = stand
  const { id } = await role('CHANNEL_BOT')
  return owner.put(`${at}/rooms/${rooms[which].id}/overrides/${id}`, { allow, deny })
}
export const mute = ({ owner, at, bot }: Changeable, kind: 'chat' | 'voice', how: object = {}) =>
  owner.put(`${at}/members/${bot.id}/${kind}-mute`, how)
export const unmute = ({ owner, at, bot }: Changeable, kind: 'chat' | 'voice') =>
  owner.delete(`${at}/members/${bot.id}/${kind}-mute`)
