import { describe, expect, test } from 'vitest'
import { ada, ben, bot, CHANNEL, IN_ROOM, page, readAtTheEnd, refused, sent, withChannel } from './history-fixture.ts'
import type { Answered, Shown, WrittenHistory } from './history-fixture.ts'
import { checkStreams } from './streams.ts'

const BEGINNING = 'hello zq000001'
const ONE = ' tide ⟨1⟩'
const TWO = ' quay ⟨2⟩'
const of = { ...IN_ROOM, messageId: '1' }
const PORTAL = 'Ben’s portal'

/** The portal of Ben shows the room, and the bot begins a message. */
function begun(): WrittenHistory {
  return withChannel()
    .add({ kind: 'receiver', receiver: PORTAL, actor: ben, transport: 'portal' })
    .add({ kind: 'subscribed', receiver: PORTAL })
    .at(8000)
    .add({ kind: 'shown room', receiver: PORTAL, ...IN_ROOM, what: 'shown' })
    .at(10_000)
    .call(bot, 'startStream', { ...IN_ROOM, text: BEGINNING }, sent('1'))
    .event(PORTAL, 'message.created', { roomId: 'room', message: messageOf(BEGINNING, 'writing') }, 1)
}

function messageOf(text: string, streaming?: string) {
  return { id: '1', text, author: { id: bot.id }, ...(streaming && { streaming }) }
}

function append(history: WrittenHistory, text: string, answer: Answered = { status: 200, body: { id: '1' } }) {
  return history.call(bot, 'append', { ...of, position: BEGINNING.length, text }, answer)
}

function finish(history: WrittenHistory, text: string, more: object = {}): WrittenHistory {
  return history.call(bot, 'finish', { ...of, ...more }, { status: 200, body: { id: '1', text } })
}

function ended(history: WrittenHistory, text: string, streaming = 'finished', offset = 2): WrittenHistory {
  return history.event(PORTAL, 'message.updated', { roomId: 'room', message: messageOf(text, streaming) }, offset)
}

function appended(history: WrittenHistory, text: string, position = BEGINNING.length): WrittenHistory {
  return history.event(PORTAL, 'message.appended', { roomId: 'room', messageId: '1', position, text })
}

const shown = (text: string, streaming?: string): Shown => ({
  id: '1',
  text,
  author: bot,
  ...(streaming && { streaming }),
})

describe('checkStreams', () => {
  /** Everything as it should be, except what is stored in the end. */
  const stored = (text: string, pieces: readonly string[] = [ONE, TWO]) => {
    const history = appended(begun(), ONE + TWO)
    for (const piece of pieces) append(history, piece)
    return readAtTheEnd(ended(finish(history, BEGINNING + ONE + TWO), BEGINNING + ONE + TWO), shown(text)).findings(
      checkStreams,
    )
  }

  test('accepts all pieces in their order', () => {
    expect(stored(BEGINNING + ONE + TWO)).toEqual([])
  })

  test('finds pieces that are missing, doubled or in another order, and other text', () => {
    expect(stored(BEGINNING + ONE)).toEqual(['an acknowledged piece is missing'])
    expect(stored(BEGINNING + ONE + ONE + TWO)).toEqual(['piece 1 is in the place of piece 2'])
    expect(stored(BEGINNING + TWO + ONE)).toEqual(['piece 2 is in the place of piece 1'])
    expect(stored(`${BEGINNING}${ONE}${TWO}!`)).toEqual([`a message reads “${BEGINNING}${ONE}${TWO}!”`])
  })

  test('accepts an unanswered piece or none, and finds one that was refused', () => {
    const last = (text: string, answer: Answered) => {
      const history = append(append(begun(), ONE), TWO, answer)
      return readAtTheEnd(appended(ended(finish(history, text), text), ONE), shown(text)).findings(checkStreams)
    }
    for (const text of [BEGINNING + ONE, BEGINNING + ONE + TWO]) expect(last(text, {})).toEqual([])
    const tooMany = refused(429, 'Too Many Requests')
    expect(last(BEGINNING + ONE, tooMany)).toEqual([])
    expect(last(BEGINNING + ONE + TWO, tooMany)).toContain('a piece is there that was refused or not sent yet')
    expect(last(BEGINNING + ONE, refused(422, 'Unprocessable Entity', { reason: 'wrong_position' }))).toEqual([
      'a position is refused',
    ])
  })

  const read = (history: WrittenHistory, at: number, text: string, streaming?: string) =>
    history
      .at(at)
      .call(ada, 'read', { ...IN_ROOM, limit: 10 }, page(shown(text, streaming)))
      .findings(checkStreams)

  test('finds what readers lack while a message is being written', () => {
    const history = () => appended(append(begun(), ONE), ONE)
    expect(read(history(), 20_000, BEGINNING + ONE, 'writing')).toEqual([])
    expect(read(history(), 20_000, BEGINNING, 'writing')).toEqual(['an acknowledged piece is missing'])
    expect(read(history(), 20_000, BEGINNING + ONE + TWO, 'writing')).toContain(
      `a message reads “${BEGINNING}${ONE}${TWO}”`,
    )
  })

  test('finds a message that is being written after its end, or ends too late', () => {
    const whole = BEGINNING + ONE
    const history = () => appended(append(begun(), ONE), ONE)
    const finished = () => ended(finish(history(), whole), whole)
    expect(read(finished(), 20_000, whole)).toEqual([])
    expect(read(finished(), 20_000, whole, 'writing')).toEqual(['a message is being written after it has ended'])
    expect(read(history(), 80_000, whole, 'writing')).toEqual([])
    expect(read(history(), 120_000, whole, 'writing')).toEqual([
      'a message is being written though nobody writes anymore',
    ])
  })

  test('finds a message that nobody has ended', () => {
    const whole = BEGINNING + ONE
    const history = () => appended(append(begun(), ONE), ONE)
    const interrupted = 'a message is interrupted though nobody has ended it'
    expect(read(history(), 80_000, whole, 'interrupted')).toEqual([])
    expect(read(history(), 40_000, whole, 'interrupted')).toEqual([interrupted])
    expect(read(history(), 40_000, whole)).toEqual(['a message is finished though nobody has ended it'])
    expect(read(finish(history(), whole, { interrupted: true }), 40_000, whole, 'interrupted')).toEqual([])
    const mute = { channelId: CHANNEL, userId: bot.id }
    expect(read(history().call(ada, 'muteChat', mute, { status: 200 }), 40_000, whole, 'interrupted')).toEqual([])
  })

  test('finds who never learns of the end, or twice', () => {
    const whole = BEGINNING + ONE
    const history = () => finish(appended(append(begun(), ONE), ONE), whole)
    const atTheEnd = (one: WrittenHistory) => readAtTheEnd(one.at(120_000), shown(whole)).findings(checkStreams)
    expect(atTheEnd(ended(history(), whole))).toEqual([])
    expect(atTheEnd(history())).toEqual([`${PORTAL} never learned that a message has ended`])
    expect(atTheEnd(ended(ended(history(), whole), whole, 'finished', 3))).toEqual([
      `${PORTAL} learned twice that a message has ended`,
    ])
    expect(atTheEnd(ended(history(), BEGINNING))).toEqual(['an acknowledged piece is missing'])
  })

  test('finds a portal that is sent other text, text of a room that its person may not read, or nothing', () => {
    const history = () => append(begun(), ONE)
    const later = (one: WrittenHistory) => one.at(60_000).quiet().findings(checkStreams)
    expect(later(appended(history(), ONE))).toEqual([])
    expect(later(appended(appended(history(), ONE), ONE, 0))).toEqual([`${PORTAL} was sent text that isn’t there`])
    expect(later(history())).toEqual([`${PORTAL} shows the room and was not sent a piece`])
    const kicked = history().call(ada, 'kick', { channelId: CHANNEL, userId: ben.id }, { status: 200 })
    expect(later(appended(kicked.at(40_000), ONE))).toEqual([`${PORTAL} was sent text of a room that it may not read`])
  })
})
