import type { Member, RoleName } from '@portico/contract'
import { expect, test } from 'vitest'
import { groupMembers } from './group-members.ts'

function member(name: string, online: boolean, ...roles: [RoleName, string?][]): Member {
  return {
    id: name,
    name,
    channelNickname: null,
    online,
    isBot: false,
    avatar: '',
    avatarVersion: 0,
    roles: roles.map(([systemName, title]) => ({ systemName, name: title ?? systemName })),
  }
}

const roles = [
  { systemName: 'CHANNEL_OWNER', name: 'Owner' },
  { systemName: 'CUSTOM', name: 'Night watch' },
  { systemName: 'CHANNEL_MEMBER', name: 'Member' },
] as const

function outline(total: number, ...pages: Member[][]) {
  const online = pages.flat().filter((one) => one.online).length
  return groupMembers({ pages, roles, online, total }, 'en').map(({ of, count, members: inside }) => [
    typeof of === 'string' ? of : of.name,
    count,
    inside.map(({ name }) => name),
  ])
}

test('those online stand under their highest role, in the order of roles, each group by name', () => {
  const company = [
    member('Zoe', true, ['CHANNEL_MEMBER']),
    member('Ada', true, ['CHANNEL_MEMBER']),
    member('Nils', true, ['CUSTOM', 'Night watch'], ['CHANNEL_MEMBER']),
    member('Olga', true, ['CHANNEL_OWNER']),
    member('Ben', false, ['CUSTOM', 'Night watch'], ['CHANNEL_MEMBER']),
  ]

  expect(outline(40, company)).toEqual([
    ['Owner', 1, ['Olga']],
    ['Night watch', 1, ['Nils']],
    ['online', 2, ['Ada', 'Zoe']],
    ['offline', 36, ['Ben']],
  ])
})

test('a role that is not known yet counts as being online', () => {
  expect(outline(1, [member('New', true, ['CUSTOM', 'Just made'])])).toEqual([['online', 1, ['New']]])
})

test('who came online between two pages is listed once, as first read', () => {
  const [online, offline] = [member('Ada', true, ['CHANNEL_MEMBER']), member('Ada', false, ['CHANNEL_MEMBER'])]

  expect(outline(1, [online], [offline])).toEqual([['online', 1, ['Ada']]])
})

test('what was read does not move when more is read, and who goes offline stands among those they were read with', () => {
  const first = [member('Mia', true), member('Zoe', false), member('Ada', false)]
  const second = [member('Yan', false), member('Ben', false)]

  expect(outline(9, first).at(-1)).toEqual(['offline', 8, ['Ada', 'Zoe']])
  expect(outline(9, first, second).at(-1)).toEqual(['offline', 8, ['Ada', 'Zoe', 'Ben', 'Yan']])

  const gone = [member('Mia', false), ...first.slice(1)]
  expect(outline(9, gone, second)).toEqual([['offline', 9, ['Ada', 'Mia', 'Zoe', 'Ben', 'Yan']]])
})
