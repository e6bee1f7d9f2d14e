import { Type, type Static } from 'typebox'
import { FileId } from './ids.ts'
import { named, Text } from './schema.ts'

export const CARD_LIMITS = {
  cards: 5,
  /** Of all cards of a message, in code points; addresses don't count. */
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

/** The syntax of a link that people follow: no user information, which would look like the host. */
export const HTTP_URL_PATTERN = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#@\\\\]+([/?#]\\S*)?$'

const PICTURE =
  '^/files/[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/[A-Za-z0-9._~%-]+\\?w=[0-9]{1,5}&h=[0-9]{1,5}$'

const MARKDOWN = 'Markdown, as in messages. It notifies no one'

export const CardField = named(
  'CardField',
  Type.Object({
    name: Text(1, CARD_LIMITS.fieldName, { examples: ['Environment'] }),
    value: Text(1, CARD_LIMITS.fieldValue, { description: MARKDOWN, examples: ['`staging`'] }),
  }),
)

export const CardPicture = named(
  'CardPicture',
  Type.Object({
    url: Type.String({
      maxLength: CARD_LIMITS.pictureUrl,
      pattern: PICTURE,
      rule: 'must be the url of a picture that was uploaded with uploadFile',
      description:
        'The `url` of a picture that the bot has uploaded to the room with `uploadFile`: one from elsewhere would tell another server who reads the message',
      examples: [`/files/${FileId.examples[0]}/floor%20plan.png?w=1600&h=900`],
    }),
    alt: Type.Optional(
      Text(1, CARD_LIMITS.pictureAlt, {
        description: 'What it shows, for those who can’t see it',
        examples: ['A floor plan'],
      }),
    ),
  }),
)

export type Card = Static<typeof Card>
export const Card = named(
  'Card',
  Type.Object(
    {
      title: Type.Optional(Text(1, CARD_LIMITS.title, { examples: ['Build 1.4.0'] })),
      url: Type.Optional(
        Type.String({
          maxLength: CARD_LIMITS.url,
          format: 'http-url',
          rule: `must be an http or https address of at most ${CARD_LIMITS.url} characters`,
          description: 'Where the title leads; needs a title',
          examples: ['https://ci.example/builds/140'],
        }),
      ),
      text: Type.Optional(
        Text(1, CARD_LIMITS.text, { description: MARKDOWN, examples: ['All **214** tests passed.'] }),
      ),
      color: Type.Optional(
        Type.String({
          pattern: '^#[0-9A-Fa-f]{6}$',
          rule: 'must be a color such as #2da44e',
          description: 'Of the line at its side',
          examples: ['#2da44e'],
        }),
      ),
      fields: Type.Optional(
        Type.Array(CardField, {
          minItems: 1,
          maxItems: CARD_LIMITS.fields,
          rule: `must be a list of 1–${CARD_LIMITS.fields} fields`,
          description: 'Shown in columns, as many as fit',
        }),
      ),
      picture: Type.Optional(CardPicture),
      footer: Type.Optional(Text(1, CARD_LIMITS.footer, { description: 'Plain text', examples: ['Took 3 min 12 s'] })),
    },
    { minProperties: 1, check: 'card', description: 'Has at least a title, a text, a field, a picture or a footer' },
  ),
)

export const CARDS_LIMIT = `At most ${CARD_LIMITS.cards}, with 6,000 characters in all, not counting addresses`

export const Cards = Type.Array(Card, {
  maxItems: CARD_LIMITS.cards,
  check: 'cards',
  rule: `must be a list of at most ${CARD_LIMITS.cards} cards`,
  description: CARDS_LIMIT,
  examples: [[{ title: 'Build 1.4.0', url: 'https://ci.example/builds/140', color: '#2da44e' }]],
})

/** Everything that people read in cards. */
export function textsOfCards(cards: readonly Card[]): string[] {
  return cards.flatMap(({ title, text, fields = [], picture, footer }) =>
    [title, text, ...fields.flatMap(({ name, value }) => [name, value]), picture?.alt, footer].filter(
      (one) => one !== undefined,
    ),
  )
}
