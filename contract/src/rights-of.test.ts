import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_ROLES, RIGHTS, ROOM_RIGHTS, SYSTEM_ROLES, type Right } from './rights.ts'
import { rightsOf, type RightsInput, type RightsOverride, type RightsRole } from './rights-of.ts'

/**
 * A member of two roles in one room, written out. `+` a role has the right, `·` it lacks it; the room says of a role
 * nothing (`·`), `allow` or `deny`.
 */
const TABLE = `
  lower role   higher role   room to lower   room to higher   may
  ·            ·             ·               ·                no
  ·            ·             ·               allow            yes
  ·            ·             ·               deny             no
  ·            ·             allow           ·                yes
  ·            ·             allow           allow            yes
  ·            ·             allow           deny             no
  ·            ·             deny            ·                no
  ·            ·             deny            allow            yes
  ·            ·             deny            deny             no
  ·            +             ·               ·                yes
  ·            +             ·               allow            yes
  ·            +             ·               deny             no
  ·            +             allow           ·                yes
  ·            +             allow           allow            yes
  ·            +             allow           deny             no
  ·            +             deny            ·                no
  ·            +             deny            allow            yes
  ·            +             deny            deny             no
  +            ·             ·               ·                yes
  +            ·             ·               allow            yes
  +            ·             ·               deny             no
  +            ·             allow           ·                yes
  +            ·             allow           allow            yes
  +            ·             allow           deny             no
  +            ·             deny            ·                no
  +            ·             deny            allow            yes
  +            ·             deny            deny             no
  +            +             ·               ·                yes
  +            +             ·               allow            yes
  +            +             ·               deny             no
  +            +             allow           ·                yes
  +            +             allow           allow            yes
  +            +             allow           deny             no
  +            +             deny            ·                no
  +            +             deny            allow            yes
  +            +             deny            deny             no
`
const CASES = rowsOf(TABLE)

/** What each mute takes away: sending, editing and reacting; being heard and broadcasting. */
const SILENCED: Partial<Record<Right, 'chat' | 'voice'>> = {
  write_text_room: 'chat',
  edit_text_msg_you_own: 'chat',
  react_text_msg: 'chat',
  talk_voice_room: 'voice',
  start_broadcast: 'voice',
}

const BORN_WITH = `
  right                     owner   admin   moderator   member   bot
  read_text_room            +       +       +           +        +
  write_text_room           +       +       +           +        +
  edit_text_msg_you_own     +       +       +           +        +
  delete_text_msg_you_own   +       +       +           +        +
  delete_text_msg_any       +       +       +           ·        ·
  react_text_msg            +       +       +           +        +
  pin_text_msg              +       +       +           ·        ·
  mention_everyone          +       +       +           ·        ·
  join_voice_room           +       +       +           +        +
  talk_voice_room           +       +       +           +        +
  start_broadcast           +       +       +           ·        ·
  mute_chat_member          +       +       +           ·        ·
  mute_voice_member         +       +       +           ·        ·
  move_voice_member         +       +       +           ·        ·
  kick_member               +       +       +           ·        ·
  invite_member             +       +       +           +        ·
  manage_rooms              +       +       ·           ·        ·
  manage_roles              +       +       ·           ·        ·
  manage_bots               +       +       ·           ·        ·
  manage_channel            +       +       ·           ·        ·
  view_audit_log            +       +       +           ·        ·
`

describe('rightsOf', () => {
  test('the table names every case of two roles in a room', () => {
    expect(new Set(CASES.map((row) => row.slice(0, 4).join(' '))).size).toBe(2 * 2 * 3 * 3)
    expect(CASES).toHaveLength(36)
  })

  for (const right of RIGHTS) {
    test(`${right}: roles, the room, mutes and ownership`, () => {
      for (const [lower, higher, toLower, toHigher, may] of CASES) {
        for (const [chatMuted, voiceMuted, isOwner] of combinations(3)) {
          for (const foreign of ['·', 'allow', 'deny']) {
            const input = {
              isOwner,
              chatMuted,
              voiceMuted,
              roles: [role('lower', 101, lower, right), role('higher', 102, higher, right)],
              overrides: [
                ...override('lower', toLower, right),
                ...override('higher', toHigher, right),
                ...override('someone else’s', foreign, right),
              ],
            }
            const silenced = (SILENCED[right] === 'chat' && chatMuted) || (SILENCED[right] === 'voice' && voiceMuted)
            const expected = isOwner || (may === 'yes' && !silenced)
            for (const same of [input, mirrored(input)]) {
              expect(rightsOf(same).has(right), JSON.stringify(same)).toBe(expected)
            }
          }
        }
      }
    })
  }

  test('the roles that every channel is born with', () => {
    const rows = rowsOf(BORN_WITH)
    expect(rows.map(([right]) => right)).toEqual([...RIGHTS])
    for (const [right = '', ...marks] of rows) {
      const having = SYSTEM_ROLES.filter((name) => DEFAULT_ROLES[name].rights.some((one) => one === right))
      expect(having, right).toEqual(SYSTEM_ROLES.filter((_, column) => marks[column] === '+'))
    }
  })

  test('the owner can do everything, with no role, muted and denied', () => {
    const overrides = [{ roleId: 'owner', allow: [], deny: RIGHTS }]
    const roles = [{ id: 'owner', rank: 1000, rights: [] }]
    for (const input of [
      { isOwner: true, roles: [], overrides: [], chatMuted: true, voiceMuted: true },
      { isOwner: true, roles, overrides, chatMuted: true, voiceMuted: true },
    ]) {
      expect([...rightsOf(input)].toSorted()).toEqual(RIGHTS.toSorted())
    }
  })

  test('someone without any role can do nothing', () => {
    const overrides = [{ roleId: 'lower', allow: RIGHTS, deny: [] }]
    expect(rightsOf({ isOwner: false, roles: [], overrides, chatMuted: false, voiceMuted: false }).size).toBe(0)
  })
})

describe('rightsOf, for any roles and any room', () => {
  const someRights = fc.subarray([...RIGHTS])
  const ranks = fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { maxLength: 6 })
  const inputs: fc.Arbitrary<RightsInput> = ranks.chain((ranks) =>
    fc.record({
      isOwner: fc.boolean(),
      chatMuted: fc.boolean(),
      voiceMuted: fc.boolean(),
      roles: fc.tuple(...ranks.map((rank) => someRights.map((rights) => ({ id: `role ${rank}`, rank, rights })))),
      overrides: fc
        .tuple(...[...ranks, 'foreign'].map((rank) => someOverride(`role ${rank}`)))
        .map((overrides) => overrides.flat()),
    }),
  )
  const members = inputs.map((input) => ({ ...input, isOwner: false }))

  test('it is what the highest role says of which the room speaks, else what any role has', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const rights = rightsOf(input)
        for (const right of RIGHTS) expect(rights.has(right)).toBe(stated(input, right))
      }),
    )
  })

  test('the order of roles and overrides means nothing', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        expect([...rightsOf(mirrored(input))].toSorted()).toEqual([...rightsOf(input)].toSorted())
      }),
    )
  })

  test('a mute takes and never gives', () => {
    fc.assert(
      fc.property(members, (input) => {
        const free = rightsOf({ ...input, chatMuted: false, voiceMuted: false })
        const muted = rightsOf({ ...input, chatMuted: true, voiceMuted: true })
        expect([...muted].filter((right) => !free.has(right))).toEqual([])
        expect([...free].filter((right) => !muted.has(right) && !SILENCED[right])).toEqual([])
      }),
    )
  })

  test('a further role without a word of the room takes nothing away', () => {
    fc.assert(
      fc.property(members, someRights, fc.integer({ min: 1001, max: 2000 }), (input, rights, rank) => {
        const more = rightsOf({ ...input, roles: [...input.roles, { id: 'new', rank, rights }] })
        expect([...rightsOf(input)].filter((right) => !more.has(right))).toEqual([])
      }),
    )
  })

  test('an allowance to the highest role holds, whatever the room says to lower ones', () => {
    fc.assert(
      fc.property(members, fc.constantFrom(...ROOM_RIGHTS), (input, right) => {
        const roles = [...input.roles, { id: 'highest', rank: 5000, rights: [] }]
        const overrides = [...input.overrides, { roleId: 'highest', allow: [right], deny: [] }]
        const unmuted = { ...input, chatMuted: false, voiceMuted: false, roles, overrides }
        expect(rightsOf(unmuted).has(right)).toBe(true)
      }),
    )
  })

  function someOverride(roleId: string): fc.Arbitrary<RightsOverride[]> {
    const verdicts = fc.array(fc.constantFrom('allow', 'deny', 'nothing'), {
      minLength: RIGHTS.length,
      maxLength: RIGHTS.length,
    })
    return fc.option(verdicts, { nil: null }).map((verdicts) => {
      if (!verdicts) return []
      const those = (verdict: string) => RIGHTS.filter((_, place) => verdicts[place] === verdict)
      return [{ roleId, allow: those('allow'), deny: those('deny') }]
    })
  }
})

/** The rule as decisions are explained to people: right by right, from the highest role down. */
function stated(input: RightsInput, right: Right): boolean {
  if (input.isOwner) return true
  if (SILENCED[right] === 'chat' && input.chatMuted) return false
  if (SILENCED[right] === 'voice' && input.voiceMuted) return false
  for (const { id } of input.roles.toSorted((a, b) => b.rank - a.rank)) {
    const word = input.overrides.find(({ roleId }) => roleId === id)
    if (word?.allow.includes(right)) return true
    if (word?.deny.includes(right)) return false
  }
  return input.roles.some(({ rights }) => rights.includes(right))
}

function role(id: string, rank: number, mark: string | undefined, right: Right): RightsRole {
  return { id, rank, rights: mark === '+' ? [right] : [] }
}

function override(roleId: string, word: string | undefined, right: Right): RightsOverride[] {
  if (word === '·') return []
  return [{ roleId, allow: word === 'allow' ? [right] : [], deny: word === 'deny' ? [right] : [] }]
}

function mirrored(input: RightsInput): RightsInput {
  return { ...input, roles: input.roles.toReversed(), overrides: input.overrides.toReversed() }
}

function combinations(count: 3): [boolean, boolean, boolean][] {
  return Array.from({ length: 2 ** count }, (_, bits) => [(bits & 1) > 0, (bits & 2) > 0, (bits & 4) > 0])
}

function rowsOf(table: string): string[][] {
  const [, ...rows] = table.trim().split('\n')
  return rows.map((row) => row.trim().split(/\s+/))
}
