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

function outline(members: Member[], total: number) {
  const online = members.filter((one) => one.online).length
  return groupMembers({ members, roles, online, total }, 'en').map(({ of, count, members: inside }) => [
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

  expect(outline(company, 40)).toEqual([
    ['Owner', 1, ['Olga']],
    ['Night watch', 1, ['Nils']],
    ['online', 2, ['Ada', 'Zoe']],
    ['offline', 36, ['Ben']],
  ])
})

test('a role that is not known yet counts as being online', () => {
  expect(outline([member('New', true, ['CUSTOM', 'Just made'])], 1)).toEqual([['online', 1, ['New']]])
})

test('who came online between two pages is listed once, as first read', () => {
  const company = [member('Ada', true, ['CHANNEL_MEMBER']), member('Ada', false, ['CHANNEL_MEMBER'])]

  expect(outline(company, 1)).toEqual([['online', 1, ['Ada']]])
})
