import type { Member, RoleColor } from '@portico/contract'

/** The color of a member's name: that of their highest role that has one. */
export function colorOfMember({ roles }: Partial<Pick<Member, 'roles'>>): RoleColor | undefined {
  return roles?.find(({ color }) => color)?.color
}
