/**
 * How a text mentions a member: `<@`, their id and `>`. The id survives renames; clients show the current name. A role has
 * `&` before its id. `<@everyone>` mentions all who can read the room, `<@here>` those of them who are online.
 */
const MENTION = /<@(&?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|everyone|here)>/gi

/** The groups of a room that have no id. */
export const GROUPS = ['everyone', 'here'] as const

/** Takes what stands between `<@` and `>`: the id of a member, `&` and that of a role, or a group. */
export function mentionOf(target: string): string {
  return `<@${target}>`
}

/** Everything that a text mentions, each once, in the order of the text, in the form that `mentionOf` takes. */
export function mentionTargets(text: string): string[] {
  // A fast path: few texts have mentions, and every text that is sent or shown comes through here.
  if (!text.includes('<@')) return []
  return [...new Set(Array.from(text.matchAll(MENTION), ([, target = '']) => target.toLowerCase()))]
}

/** The ids of the members that a text mentions. */
export function mentionedIds(text: string): string[] {
  return mentionTargets(text).filter((target) => !isGroup(target))
}

/** The groups that a text mentions: `everyone`, `here` and the ids of roles. */
export function mentionedGroups(text: string): string[] {
  return mentionTargets(text).flatMap((target) => (isGroup(target) ? idOf(target) : []))
}

/** The text with names instead of ids of members and roles. Unknown ids stay as written. */
export function withNames(text: string, nameOf: (id: string) => string | undefined): string {
  return text.replaceAll(MENTION, (written, target: string) => {
    const name = nameOfTarget(target.toLowerCase(), nameOf)
    return name === undefined ? written : `@${name}`
  })
}

/** The name of a member, a role or a group. */
export function nameOfTarget(target: string, nameOf: (id: string) => string | undefined): string | undefined {
  return isNamed(target) ? target : nameOf(idOf(target))
}

function isNamed(target: string): boolean {
  return (GROUPS as readonly string[]).includes(target)
}

/** Whether it is a role, `everyone` or `here` rather than a member. */
export function isGroup(target: string): boolean {
  return target.startsWith('&') || isNamed(target)
}

function idOf(target: string): string {
  return target.replace('&', '')
}
