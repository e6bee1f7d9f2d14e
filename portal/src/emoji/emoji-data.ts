import rows from './emoji.json'

export const EMOJI_GROUPS = [
  'smileys',
  'people',
  'nature',
  'food',
  'travel',
  'activities',
  'objects',
  'symbols',
  'flags',
] as const

export type EmojiGroup = (typeof EMOJI_GROUPS)[number]

export interface Emoji {
  readonly emoji: string
  readonly group: EmojiGroup
  readonly label: { readonly en: string; readonly ru: string }
  /** Shortcodes, without spaces. */
  readonly names: readonly string[]
  /** More search terms in both languages. */
  readonly keywords: readonly string[]
}

/** All emoji in Unicode's order, without variants of skin and hair. Large: loaded only where it is needed. */
export const EMOJI: readonly Emoji[] = rows.map((row) => {
  const [emoji, group, en, ru, short, keywords] = row as [string, number, string, string, string, string]
  const spelt = [en, ru].map((label) => label.replaceAll(/[^\p{L}\d]+/gu, '_'))
  return {
    emoji,
    group: EMOJI_GROUPS[group] ?? 'symbols',
    label: { en, ru },
    names: [...new Set([...short.split(' ').filter(Boolean), ...spelt])],
    keywords: keywords.split(',').filter(Boolean),
  }
})
