/**
 * Text that mentions a member, with what a message has as its author or an id. `everyone` mentions all who can read the room,
 * `here` those of them who are online: both need the right `mention_everyone`.
 *
 * @example
 * await ctx.say(`${mention(ctx.author)}, the build is green`)
 */
export function mention(member: { readonly id: string } | string): string {
  return `<@${typeof member === 'string' ? member : member.id}>`
}

/** Text that mentions everyone with a role. Needs the right `mention_everyone`. */
export function mentionRole(role: { readonly id: string } | string): string {
  return `<@&${typeof role === 'string' ? role : role.id}>`
}
