const ONE_EMOJI = /^\p{RGI_Emoji}$/v
const COLOURED = '\u{fe0f}'
/** Characters that are drawn as text unless a selector asks for colour. One with a skin tone needs none. */
const DRAWN_AS_TEXT = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu

/** One emoji, however its keyboard spells it: with all, some or none of the selectors that ask for colour. */
export function isEmoji(text: string): boolean {
  return ONE_EMOJI.test(fullEmoji(text))
}

/** The one spelling that Unicode recommends, so that ❤ and ❤️ are one kind of reaction. */
export function fullEmoji(text: string): string {
  return text.replaceAll(COLOURED, '').replaceAll(DRAWN_AS_TEXT, `$&${COLOURED}`)
}
