import type { Member } from '@portico/contract'
import type { Presence } from '../presence/presence.ts'
import type { OtherMember } from './load-member.ts'

export function toMember(presence: Presence, member: OtherMember): Member {
  const { id, name, nickname, isBot, avatar, avatarVersion } = member
  const roles = member.roles.map(({ systemName, name }) => ({ systemName, name }))
  return { id, name, channelNickname: nickname, online: presence.isOnline(id), isBot, avatar, avatarVersion, roles }
}
