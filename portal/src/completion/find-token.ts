export type TokenKind = 'command' | 'member' | 'room' | 'emoji' | 'role' | 'choice'

/** The word at the caret that can be completed, with its trigger character. */
export interface Token {
  readonly kind: TokenKind
  /** The position of the trigger character. */
  readonly from: number
  /** The position of the caret. */
  readonly to: number
  /** The text after the trigger character. */
  readonly typed: string
  /** It belongs to an option of a command, whose values are offered without a trigger character. */
  readonly isOffered?: true
  /** Other values than those that are offered are right as well. */
  readonly isHinted?: true
}

/**
 * A command is the first word of a message. Names may contain a space, so a second word may belong to one once it has
 * begun. A space alone ends the token, or Enter after an accepted name would accept it again instead of sending.
 */
const FORMS: readonly (readonly [TokenKind, RegExp])[] = [
  ['command', /^()\/(\S*)$/],
  ['member', /(^|[\s([{«"'])@((?:[^\s@]+(?: [^\s@]{1,32})?)?)$/],
  ['room', /(^|[\s([{«"'])#([^\s#]{0,64})$/],
  // From two letters on, so that smileys such as :D and times such as 12:30 are left alone.
  ['emoji', /(^|[\s([{«"'])(?::)([\p{L}\d_+-]{2,32})$/u],
]

export function findToken(text: string, caret: number): Token | undefined {
  const before = text.slice(0, caret)
  for (const [kind, form] of FORMS) {
    const found = form.exec(before)
    if (!found) continue
    const typed = found[2] ?? ''
    return { kind, from: caret - typed.length - 1, to: caret, typed }
  }
  return undefined
}
