import type { RoleColor } from '@portico/contract'
import { m } from '#paraglide/messages.js'

export const COLOR_LABELS: Readonly<Record<RoleColor, () => string>> = {
  red: m.color_red,
  orange: m.color_orange,
  yellow: m.color_yellow,
  lime: m.color_lime,
  green: m.color_green,
  teal: m.color_teal,
  blue: m.color_blue,
  indigo: m.color_indigo,
  purple: m.color_purple,
  pink: m.color_pink,
}
