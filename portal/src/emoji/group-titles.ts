import { m } from '#paraglide/messages.js'
import type { EmojiGroup } from './emoji-data.ts'

/** A group of Unicode, or the emoji that the person used last. */
export type PickerGroup = EmojiGroup | 'recent'

export const GROUP_TITLES: Record<PickerGroup, () => string> = {
  recent: m.emoji_recent,
  smileys: m.emoji_smileys,
  people: m.emoji_people,
  nature: m.emoji_nature,
  food: m.emoji_food,
  travel: m.emoji_travel,
  activities: m.emoji_activities,
  objects: m.emoji_objects,
  symbols: m.emoji_symbols,
  flags: m.emoji_flags,
}
