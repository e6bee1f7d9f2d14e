/** Cheap, and so asked first: the sets of all emoji take the browser as long to read as a page of messages to show. */
const ANY = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u{20e3}/u
let few: RegExp | undefined

/** Whether a message is nothing but a few emoji, which are then shown large. */
export function isEmojiOnly(text: string): boolean {
  if (text.length >= 64 || !ANY.test(text)) return false
  few ??= new RegExp('^\\p{RGI_Emoji}(?:\\s?\\p{RGI_Emoji}){0,4}$', 'v')
  return few.test(text.trim())
}
