import { fileIdsIn, textsOfCards, type Card } from '@portico/contract'

/** The files that a message refers to, in its text and in its cards. */
export function fileIdsOf(text: string, cards: readonly Card[] | null | undefined): string[] {
  if (!cards) return fileIdsIn(text)
  const pictures = cards.flatMap(({ picture }) => picture?.url ?? [])
  return fileIdsIn([text, ...pictures, ...textsOfCards(cards)].join('\n'))
}
