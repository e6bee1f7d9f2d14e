/** What a role can be colored with, in the order of the screens. A name, not a value: each theme has a readable shade of it. */
export const ROLE_COLORS = [
  'red',
  'orange',
  'yellow',
  'lime',
  'green',
  'teal',
  'blue',
  'indigo',
  'purple',
  'pink',
] as const

export type RoleColor = (typeof ROLE_COLORS)[number]
