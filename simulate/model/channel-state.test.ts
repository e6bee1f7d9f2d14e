import { describe, expect, test } from 'vitest'
import {
  may,
  mayInChannel,
  outranks,
  sees,
  type ChannelState,
  type MemberState,
  type RoomState,
} from './channel-state.ts'

const NOW = { from: 0, to: 0 }
const RIGHT = 'write_text_room'

interface Example {
  readonly owner?: boolean
  readonly member?: Partial<MemberState>
  readonly room?: Partial<RoomState>
}

/** Roles from the highest to the lowest: `high` and `low` with the right, `none` without it. */
function stateOf({ owner = false, member = {}, room = {} }: Example): ChannelState {
  const roles = [
    { id: 'high', systemName: 'CHANNEL_MODERATOR', rights: new Set([RIGHT]) },
    { id: 'low', systemName: 'CUSTOM', rights: new Set([RIGHT]) },
    { id: 'none', systemName: 'CHANNEL_MEMBER', rights: new Set<string>() },
  ]
  const of: RoomState = {
    name: 'quay',
    type: 'text',
    isPrivate: false,
    admittedRoles: new Set(),
    admittedMembers: new Set(),
    overrides: new Map(),
    ...room,
  }
  return {
    ownerId: owner ? 'ada' : 'someone else',
    roles,
    members: new Map([['ada', { roleIds: new Set(['none']), isBot: false, ...member }]]),
    rooms: new Map([['room', of]]),
    deletedRooms: new Set(['deleted']),
    banned: new Set(),
    mutesOfOthers: new Map(),
  }
}

const roles = (...ids: readonly string[]): Partial<MemberState> => ({ roleIds: new Set(ids) })
const overrides = (rules: Readonly<Record<string, 'allow' | 'deny'>>): Partial<RoomState> => ({
  overrides: new Map(
    Object.entries(rules).map(([id, rule]) => [
      id,
      { allow: new Set(rule === 'allow' ? [RIGHT] : []), deny: new Set(rule === 'deny' ? [RIGHT] : []) },
    ]),
  ),
})
const muted = { earliestEnd: 1000, latestEnd: 2000 }

// The order of the calculation: owner, union of the roles, overrides of the room, mute.
const EXAMPLES: readonly [name: string, example: Example, verdict: 'yes' | 'no'][] = [
  ['a member without any role that has it', {}, 'no'],
  ['the union of the roles', { member: roles('none', 'low') }, 'yes'],
  ['a denial of the room', { member: roles('low'), room: overrides({ low: 'deny' }) }, 'no'],
  ['an allowance of the room', { room: overrides({ none: 'allow' }) }, 'yes'],
  [
    'a denial below an allowance',
    { member: roles('high', 'low'), room: overrides({ high: 'allow', low: 'deny' }) },
    'yes',
  ],
  [
    'an allowance below a denial',
    { member: roles('high', 'low'), room: overrides({ high: 'deny', low: 'allow' }) },
    'no',
  ],
  ['the override of a role that one does not have', { member: roles('low'), room: overrides({ high: 'deny' }) }, 'yes'],
  ['a chat mute', { member: { ...roles('low'), chatMute: muted } }, 'no'],
  ['a chat mute in spite of an allowance', { member: { chatMute: muted }, room: overrides({ none: 'allow' }) }, 'no'],
  ['a voice mute, which is about something else', { member: { ...roles('low'), voiceMute: muted } }, 'yes'],
  ['a private room', { member: roles('low'), room: { isPrivate: true } }, 'no'],
  [
    'a private room that admits a role',
    { member: roles('low'), room: { isPrivate: true, admittedRoles: new Set(['low']) } },
    'yes',
  ],
  [
    'a private room that admits the member',
    { member: roles('low'), room: { isPrivate: true, admittedMembers: new Set(['ada']) } },
    'yes',
  ],
  [
    'the owner, whatever else holds',
    { owner: true, member: { chatMute: muted }, room: { isPrivate: true, ...overrides({ none: 'deny' }) } },
    'yes',
  ],
]

describe('may', () => {
  test.each(EXAMPLES)('%s', (_, example, verdict) => {
    expect(may(stateOf(example), 'ada', RIGHT, 'room', NOW)).toBe(verdict)
  })

  test('is unsure while a mute is about to end', () => {
    const state = stateOf({ member: { ...roles('low'), chatMute: muted } })
    const at = (from: number, to = from) => may(state, 'ada', RIGHT, 'room', { from, to })
    expect([at(900), at(1500), at(900, 2500), at(2500)]).toEqual(['no', 'unsure', 'unsure', 'yes'])
  })

  test('gives strangers nothing, and knows nothing of rooms that nobody has listed', () => {
    const state = stateOf({ member: roles('low') })
    expect(may(state, 'nobody', RIGHT, 'room', NOW)).toBe('no')
    expect(sees(state, 'ada', 'unlisted')).toBe('unsure')
    expect(sees(state, 'ada', 'deleted')).toBe('no')
  })
})

describe('mayInChannel', () => {
  test('is the union of the roles, without mutes and rooms', () => {
    expect(mayInChannel(stateOf({ member: { ...roles('low'), chatMute: muted } }), 'ada', RIGHT)).toBe('yes')
    expect(mayInChannel(stateOf({}), 'ada', RIGHT)).toBe('no')
    expect(mayInChannel(stateOf({ owner: true }), 'ada', RIGHT)).toBe('yes')
  })
})

describe('outranks', () => {
  test('compares the highest roles; the owner and oneself are never below', () => {
    const state = stateOf({ member: roles('low') })
    const members = new Map([...state.members, ['ben', { roleIds: new Set(['high', 'none']), isBot: false }] as const])
    const both = { ...state, members }
    expect(outranks(both, 'ben', 'ada')).toBe(true)
    expect(outranks(both, 'ada', 'ben')).toBe(false)
    expect(outranks(both, 'ada', 'ada')).toBe(false)
    expect(outranks({ ...both, ownerId: 'ada' }, 'ben', 'ada')).toBe(false)
    expect(outranks({ ...both, ownerId: 'ada' }, 'ada', 'ben')).toBe(true)
  })
})
