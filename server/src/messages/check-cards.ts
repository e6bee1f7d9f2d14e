import { CARD_LIMITS, textsOfCards, type Card } from '@portico/contract'

/** Why something that has the form of a card isn't one; undefined if it is. */
export function checkCard({ title, url, text, fields, picture, footer }: Card): string | undefined {
  if (url !== undefined && title === undefined) return 'must have a title, to which the url belongs'
  const isEmpty = [title, text, fields, picture, footer].every((part) => part === undefined)
  return isEmpty ? 'must have a title, a text, a field, a picture or a footer' : undefined
}

/** Why a message can't have these cards together; undefined if it can. */
export function checkCards(cards: readonly Card[]): string | undefined {
  const characters = textsOfCards(cards).reduce((sum, text) => sum + [...text].length, 0)
  if (characters <= CARD_LIMITS.characters) return undefined
  return `must have at most ${CARD_LIMITS.characters} characters in all, and have ${characters}`
}
