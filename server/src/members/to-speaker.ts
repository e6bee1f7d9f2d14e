import type { Speaker } from '@portico/contract'
import type { OtherMember } from './load-member.ts'

export function toSpeaker({ id, name, nickname, avatar, avatarVersion, isBot, roles }: OtherMember): Speaker {
  return { id, name, channelNickname: nickname, avatar, avatarVersion, isBot, roleIds: roles.map((role) => role.id) }
}
