import { Text, type Notes } from './schema.ts'

/** What is left of a name when emoji are taken out, whose joiners and variation selectors are allowed. */
const EMOJI = /\p{RGI_Emoji}|\p{Emoji}\uFE0F/gv
/** Control, format, private and unassigned characters, line breaks, and letters that show nothing. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/v

/** One spelling of what looks the same: composed letters, and single spaces between words. */
export function normalizeName(text: string): string {
  return text
    .trim()
    .normalize('NFC')
    .replaceAll(/\p{Zs}+/gu, ' ')
}

/** Rejects invisible characters and bidirectional controls, with which different names would look the same. */
export function isReadableName(name: string): boolean {
  return !INVISIBLE.test(name.replaceAll(EMOJI, ''))
}

/** The name of a person, bot, channel, room or role. The server normalizes it before anything else. */
export function Name(min: number, max: number, notes: Notes = {}) {
  return { ...Text(min, max, notes), format: 'name' }
}
