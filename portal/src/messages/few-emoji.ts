const FEW = /^\p{RGI_Emoji}(?:\s?\p{RGI_Emoji}){0,4}$/v

/** Whether a message is nothing but a few emoji, which are then shown large. */
export function isFewEmoji(text: string): boolean {
  return text.length < 64 && FEW.test(text.trim())
}
