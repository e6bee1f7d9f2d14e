/** A cheap check first: compiling the set of all emoji takes the browser as long as rendering a page of messages. */
const ANY = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u{20e3}/u
let few: RegExp | undefined

/** Whether a message consists of a few emoji only, which are then shown large. */
export function isEmojiOnly(text: string): boolean {
  if (text.length >= 64 || !ANY.test(text)) return false
  few ??= new RegExp('^\\p{RGI_Emoji}(?:\\s?\\p{RGI_Emoji}){0,4}$', 'v')
  return few.test(text.trim())
}
