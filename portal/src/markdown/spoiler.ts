import type { Token, TokenizerExtension, Tokens } from 'marked'

/** Text between two pairs of bars, such as `||the butler||`. */
const SPOILER = /^\|\|(?=\S)([\s\S]*?\S)\|\|/

export interface SpoilerToken extends Tokens.Generic {
  readonly type: 'spoiler'
  readonly tokens: Token[]
}

export function isSpoiler(token: Token): token is SpoilerToken {
  return token.type === 'spoiler'
}

export const spoiler: TokenizerExtension = {
  name: 'spoiler',
  level: 'inline',
  start: (text) => text.indexOf('||'),
  tokenizer(text): SpoilerToken | undefined {
    const found = SPOILER.exec(text)
    if (!found) return undefined
    return { type: 'spoiler', raw: found[0], tokens: this.lexer.inlineTokens(found[1] ?? '') }
  },
}
