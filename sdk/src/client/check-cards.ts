import type { Card } from './resources.ts'

/** What the portal accepts, in characters. */
export const CARD_LIMITS = {
  cards: 5,
  characters: 6000,
  title: 256,
  url: 1000,
  text: 4000,
  fields: 25,
  fieldName: 256,
  fieldValue: 1024,
  pictureUrl: 3200,
  pictureAlt: 512,
  footer: 512,
} as const

/** Throws before the request if the portal would refuse the cards, and says which part is wrong. */
export function checkCards(cards: readonly Card[]): void {
  if (cards.length > CARD_LIMITS.cards)
    throw new TypeError(`A message can have ${CARD_LIMITS.cards} cards, not ${cards.length}`)
  const characters = cards.reduce((sum, card, index) => sum + checkCard(card, `cards[${index}]`), 0)
  if (characters > CARD_LIMITS.characters)
    throw new TypeError(`The cards of a message can have ${CARD_LIMITS.characters} characters, not ${characters}`)
}

/** Returns how many characters count. */
function checkCard({ title, url, text, color, fields, picture, footer }: Card, at: string): number {
  if ([title, text, fields, picture, footer].every((part) => part === undefined))
    throw new TypeError(`${at} must have a title, a text, a field, a picture or a footer`)
  if (url !== undefined && title === undefined) throw new TypeError(`${at}.url needs a title, which it belongs to`)
  if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
    throw new TypeError(`${at}.url must be an http or https address`)
  if (color !== undefined && !/^#[0-9a-f]{6}$/i.test(color))
    throw new TypeError(`${at}.color must be a color such as #2da44e`)
  if (fields && (fields.length === 0 || fields.length > CARD_LIMITS.fields))
    throw new TypeError(`${at}.fields must be 1–${CARD_LIMITS.fields}, not ${fields.length}`)
  if (picture && !picture.url.startsWith('/files/'))
    throw new TypeError(`${at}.picture.url must be the url of a picture that was uploaded with uploadFile`)
  checkLength(url, `${at}.url`, CARD_LIMITS.url)
  checkLength(picture?.url, `${at}.picture.url`, CARD_LIMITS.pictureUrl)
  return [
    checkLength(title, `${at}.title`, CARD_LIMITS.title),
    checkLength(text, `${at}.text`, CARD_LIMITS.text),
    ...(fields ?? []).flatMap(({ name, value }, index) => [
      checkLength(name, `${at}.fields[${index}].name`, CARD_LIMITS.fieldName),
      checkLength(value, `${at}.fields[${index}].value`, CARD_LIMITS.fieldValue),
    ]),
    checkLength(picture?.alt, `${at}.picture.alt`, CARD_LIMITS.pictureAlt),
    checkLength(footer, `${at}.footer`, CARD_LIMITS.footer),
  ].reduce((sum, length) => sum + length, 0)
}

function checkLength(text: string | undefined, at: string, most: number): number {
  if (text === undefined) return 0
  const length = [...text].length
  if (text.trim() === '' || length > most) throw new TypeError(`${at} must be 1–${most} characters, not ${length}`)
  return length
}
