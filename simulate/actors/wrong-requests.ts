import type { Wire } from '../history/operations.ts'
import type { Random } from '../random/random.ts'
import type { Place } from './unreliable-sender.ts'

/** What a wrong request is made of. */
export interface WrongContext {
  readonly random: Random
  /** A text room that the bot knows. */
  readonly place: Place
  readonly messageId: string
  /** A room of another channel. */
  readonly foreign: Place
  /** A private room of the channel of `hidden`. */
  readonly hidden: Place
  readonly voice: Place
  readonly key: string
}

type Make = (context: WrongContext) => { readonly wire: Wire; readonly channelId?: string; readonly roomId?: string }

const NOWHERE = '01a00000-0000-7000-8000-000000000000'
const TEXT = 'this must not arrive'
/** In bytes: more than the largest body. */
const TOO_LARGE = 300 * 1024

const messages = (roomId: string): string => `/rooms/${roomId}/messages`
const send = ({ channelId, roomId }: Place, body: object = {}): Wire => ({
  method: 'POST',
  path: messages(roomId),
  body: { channelId, text: TEXT, ...body },
})
const asText = (path: string, content: string, type: string | undefined): Wire => ({
  method: 'POST',
  path,
  bytes: Buffer.from(content),
  headers: { 'content-type': type },
})

/** Requests that are wrong in one way each. */
export const WRONG = {
  noAuthorization: ({ place }) => ({ wire: { ...send(place), headers: { authorization: undefined } } }),
  bearerWithKey: ({ place, key }) => ({ wire: { ...send(place), headers: { authorization: `Bearer ${key}` } } }),
  keyOfNobody: ({ place, key }) => ({
    wire: { ...send(place), headers: { authorization: `Bot ${key.slice(0, -6)}aaaaaa` } },
  }),
  unknownRoute: () => ({ wire: { method: 'GET', path: '/rooms/all' } }),
  unknownMethod: ({ place }) => ({ wire: { method: 'PUT', path: messages(place.roomId), body: {} } }),
  emptyText: ({ place }) => ({ wire: send(place, { text: '' }) }),
  blankText: ({ place }) => ({ wire: send(place, { text: ' \n\t ' }) }),
  longText: ({ place }) => ({ wire: send(place, { text: '⚓'.repeat(4001) }) }),
  textWithNull: ({ place }) => ({ wire: send(place, { text: `${TEXT}\u0000` }) }),
  numberAsText: ({ place }) => ({ wire: send(place, { text: 7 }) }),
  noChannel: ({ place }) => ({ wire: send(place, { channelId: undefined }) }),
  channelWithoutId: ({ place }) => ({ wire: send({ ...place, channelId: 'harbor' }) }),
  roomWithoutId: ({ place }) => ({ wire: send({ ...place, roomId: 'quay' }) }),
  brokenJson: ({ place }) => ({ wire: asText(messages(place.roomId), '{"text": "a', 'application/json') }),
  list: ({ place }) => ({ wire: asText(messages(place.roomId), '[]', 'application/json') }),
  plainText: ({ place }) => ({ wire: asText(messages(place.roomId), TEXT, 'text/plain') }),
  noContentType: ({ place }) => ({ wire: asText(messages(place.roomId), '{}', undefined) }),
  tooLarge: ({ place }) => ({ wire: send(place, { padding: 'a'.repeat(TOO_LARGE) }) }),
  longKey: ({ place }) => ({ wire: { ...send(place), headers: { 'idempotency-key': 'k'.repeat(65) } } }),
  limitOfZero: ({ place: { channelId, roomId } }) => ({
    wire: { method: 'GET', path: `${messages(roomId)}?channelId=${channelId}&limit=0` },
  }),
  limitTooLarge: ({ place: { channelId, roomId } }) => ({
    wire: { method: 'GET', path: `${messages(roomId)}?channelId=${channelId}&limit=101` },
  }),
  wordAsEmoji: ({ place: { channelId, roomId }, messageId }) => ({
    wire: { method: 'POST', path: `${messages(roomId)}/${messageId}/reactions`, body: { channelId, emoji: 'anchor' } },
  }),
  twoChannels: ({ place: { channelId, roomId }, messageId }) => ({
    wire: { method: 'DELETE', path: `${messages(roomId)}/${messageId}?channelId=${NOWHERE}`, body: { channelId } },
  }),
  sameCommandTwice: () => {
    const commands = ['/Tide', '/tide'].map((name) => ({ name, description: 'Shows the tide' }))
    return { wire: { method: 'PUT', path: '/commands', body: { commands } } }
  },
  unknownChannel: ({ place }) => ({ wire: send({ ...place, channelId: NOWHERE }) }),
  unknownRoom: ({ place }) => ({ wire: send({ ...place, roomId: NOWHERE }), channelId: place.channelId }),
  foreignRoom: ({ place: { channelId }, foreign }) => ({
    wire: send({ channelId, roomId: foreign.roomId }),
    channelId,
  }),
  hiddenRoom: ({ hidden }) => ({ wire: send(hidden), ...hidden }),
  hiddenHistory: ({ hidden: { channelId, roomId } }) => ({
    wire: { method: 'GET', path: `${messages(roomId)}?channelId=${channelId}` },
    channelId,
    roomId,
  }),
  messageToVoice: ({ voice }) => ({ wire: send(voice), channelId: voice.channelId }),
  voiceInText: ({ place: { channelId, roomId } }) => ({
    wire: { method: 'POST', path: `/rooms/${roomId}/voice`, body: { channelId } },
    channelId,
  }),
  unknownMessage: ({ place: { channelId, roomId } }) => ({
    wire: { method: 'PATCH', path: `${messages(roomId)}/${NOWHERE}`, body: { channelId, text: TEXT } },
    channelId,
  }),
  peopleOnly: () => ({ wire: { method: 'GET', path: '/users/@me' } }),
} as const satisfies Record<string, Make>

export type Wrong = keyof typeof WRONG
export const WRONG_NAMES = Object.keys(WRONG) as Wrong[]
