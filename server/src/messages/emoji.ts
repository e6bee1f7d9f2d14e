const ONE_EMOJI = /^\p{RGI_Emoji}$/v
const COLORED = '\u{fe0f}'
/** Characters with text presentation by default. A skin tone implies emoji presentation. */
const DRAWN_AS_TEXT = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu

/** One emoji, with all, some or none of its variation selectors. */
export function isEmoji(text: string): boolean {
  return ONE_EMOJI.test(fullEmoji(text))
}

/** The fully qualified spelling, so that ❤ and ❤️ are one kind of reaction. */
export function fullEmoji(text: string): string {
  return text.replaceAll(COLORED, '').replaceAll(DRAWN_AS_TEXT, `$&${COLORED}`)
}
