const ONE_EMOJI = /^\p{RGI_Emoji}$/v
const VARIATION = '\u{fe0f}'

/** One emoji, with or without the selector that asks for its coloured form. */
export function isEmoji(text: string): boolean {
  return ONE_EMOJI.test(text) || ONE_EMOJI.test(text + VARIATION)
}

/** The full form, so that ❤ and ❤️ are one kind of reaction. */
export function fullEmoji(text: string): string {
  return ONE_EMOJI.test(text) ? text : text + VARIATION
}
