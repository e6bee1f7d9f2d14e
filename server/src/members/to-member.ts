import type { Member } from '@portico/contract'
import type { OtherMember } from './load-member.ts'

export function toMember(member: OtherMember, online: ReadonlySet<string>): Member {
  const { id, name, nickname, isBot, avatar, avatarVersion } = member
  const roles = member.roles.map(({ systemName, name, color }) => ({ systemName, name, ...(color && { color }) }))
  return { id, name, channelNickname: nickname, online: online.has(id), isBot, avatar, avatarVersion, roles }
}
