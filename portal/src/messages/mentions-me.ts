import type { RoomMessage } from '@portico/contract'

interface Reader {
  readonly id: string
  readonly roleIds: readonly string[]
}

/** Whether a message mentions a reader, one of their roles, or everyone. */
export function mentionsMe({ mentions, mentionedGroups = [] }: RoomMessage, { id, roleIds }: Reader): boolean {
  return mentions.some((member) => member.id === id) || mentionsGroupOf(mentionedGroups, roleIds)
}

/** Whether the groups that a message notified include a reader with these roles. */
export function mentionsGroupOf(groups: readonly string[], roleIds: readonly string[]): boolean {
  return groups.some((group) => group === 'everyone' || group === 'here' || roleIds.includes(group))
}
