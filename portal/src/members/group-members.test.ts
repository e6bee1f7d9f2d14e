import type { ListedMember, RoleName } from '@portico/contract'
import { expect, test } from 'vitest'
import { groupMembers } from './group-members.ts'

function member(name: string, online: boolean, ...roles: [RoleName, string?][]): ListedMember {
  return {
    id: name,
    name,
    channelNickname: null,
    online,
    isBot: false,
    avatar: '',
    avatarVersion: 0,
    sortName: name.toLowerCase(),
    roles: roles.map(([systemName, title]) => ({ systemName, name: title ?? systemName })),
  }
}

const roles = [
  { systemName: 'CHANNEL_OWNER', name: 'Owner' },
  { systemName: 'CUSTOM', name: 'Night watch' },
  { systemName: 'CHANNEL_MEMBER', name: 'Member' },
] as const

function outline(total: number, ...pages: ListedMember[][]) {
  const online = pages.flat().filter((one) => one.online).length
  return groupMembers({ pages, roles, online, total }).map(({ of, count, members: inside }) => [
    typeof of === 'string' ? of : of.name,
    count,
    inside.map(({ name }) => name),
  ])
}

test('groups online members by their highest role, in the order of roles, each group by name', () => {
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

test('counts an unknown role as no role', () => {
  expect(outline(1, [member('New', true, ['CUSTOM', 'Just made'])])).toEqual([['online', 1, ['New']]])
})

test('lists a member who came online between two pages once', () => {
  const [online, offline] = [member('Ada', true, ['CHANNEL_MEMBER']), member('Ada', false, ['CHANNEL_MEMBER'])]

  expect(outline(1, [online], [offline])).toEqual([['online', 1, ['Ada']]])
})

test('keeps offline members in one order over all pages, and sorts in those who go offline', () => {
  const first = [member('Mia', true), member('Zed', true), member('ada', false), member('Ben', false)]
  const second = [member('Olga', false), member('Yan', false)]

  expect(outline(9, first).at(-1)).toEqual(['offline', 7, ['ada', 'Ben']])
  expect(outline(9, first, second).at(-1)).toEqual(['offline', 7, ['ada', 'Ben', 'Olga', 'Yan']])

  const gone = first.map((one) => ({ ...one, online: false }))
  expect(outline(9, gone, second)).toEqual([['offline', 9, ['ada', 'Ben', 'Mia', 'Olga', 'Yan', 'Zed']]])
})
