import { m } from '#paraglide/messages.js'
import { readStored, writeStored } from '#storage/local-storage.ts'

/** Unicode's skin tone modifiers; none is the yellow of the emoji themselves. */
export const SKIN_TONES = ['', '🏻', '🏼', '🏽', '🏾', '🏿'] as const

export type SkinTone = (typeof SKIN_TONES)[number]

export const TONE_LABELS: Record<SkinTone, () => string> = {
  '': m.emoji_tone_default,
  '🏻': m.emoji_tone_light,
  '🏼': m.emoji_tone_medium_light,
  '🏽': m.emoji_tone_medium,
  '🏾': m.emoji_tone_medium_dark,
  '🏿': m.emoji_tone_dark,
}

const BASE = /(\p{Emoji_Modifier_Base})\uFE0F?/gu
const EMOJI = /^\p{RGI_Emoji}$/v

/** An emoji in a skin tone; unchanged if it has no skin, or several people in it that can't have the same tone. */
export function withSkinTone(emoji: string, tone: SkinTone): string {
  const toned = emoji.replaceAll(BASE, `$1${tone}`)
  return tone !== '' && EMOJI.test(toned) ? toned : emoji
}

/** The skin tone chosen in this browser. */
export function chosenSkinTone(): SkinTone {
  return readStored('skin-tone', isSkinTone) ?? ''
}

export function rememberSkinTone(tone: SkinTone): void {
  writeStored('skin-tone', tone)
}

function isSkinTone(value: unknown): value is SkinTone {
  return SKIN_TONES.some((tone) => tone === value)
}
