import { describe, expect, test } from 'vitest'
import { ada, ben, IN_ROOM, page, readAtTheEnd, sent, withChannel } from './history-fixture.ts'
import { checkSettled } from './settled.ts'

const TEXT = 'hello zq000001'
const OF_MESSAGE = { ...IN_ROOM, messageId: '1' }

describe('checkSettled', () => {
  const sending = () => withChannel().call(ben, 'send', { ...IN_ROOM, text: TEXT }, sent('1'))
  const shown = { id: '1', text: TEXT }

  test('compares pins with the last request', () => {
    const pinned = () => sending().call(ada, 'pin', OF_MESSAGE, { status: 201, body: {} })
    expect(readAtTheEnd(pinned(), { ...shown, pinnedAt: 'then' }).findings(checkSettled)).toEqual([])
    expect(readAtTheEnd(pinned(), shown).findings(checkSettled)).toEqual(['the message 1 is not pinned'])
    const unpinned = pinned().call(ada, 'unpin', OF_MESSAGE, { status: 204 })
    expect(readAtTheEnd(unpinned, { ...shown, pinnedAt: 'then' }).findings(checkSettled)).toEqual([
      'the message 1 is pinned',
    ])
  })

  test('compares reactions with the last request of each person', () => {
    const reaction = { ...OF_MESSAGE, emoji: '👍' }
    const history = () =>
      sending()
        .call(ada, 'react', reaction, { status: 201, body: {} })
        .call(ben, 'react', reaction, { status: 201, body: {} })
        .call(ada, 'unreact', reaction, { status: 204 })
    const withCount = (count: number) => ({ ...shown, reactions: [{ emoji: '👍', count, mine: false }] })
    expect(readAtTheEnd(history(), withCount(1)).findings(checkSettled)).toEqual([])
    expect(readAtTheEnd(history(), shown).findings(checkSettled)).toEqual(['0 reactions 👍 on 1 instead of 1'])
    expect(readAtTheEnd(history(), withCount(2)).findings(checkSettled)).toEqual(['2 reactions 👍 on 1 instead of 1'])
  })

  test('finds that reactions disappear with that of someone else as soon as anyone reads', () => {
    const reaction = { ...OF_MESSAGE, emoji: '👍' }
    const [one, none] = [{ ...shown, reactions: [{ emoji: '👍', count: 1, mine: false }] }, shown]
    const history = sending()
      .call(ada, 'react', reaction, { status: 201, body: {} })
      .call(ben, 'readHistory', IN_ROOM, page(one))
      .call(ben, 'react', reaction, { status: 201, body: {} })
      .call(ben, 'unreact', reaction, { status: 204 })
    expect(history.call(ben, 'readHistory', IN_ROOM, page(one)).findings(checkSettled)).toEqual([])
    expect(history.call(ben, 'readHistory', IN_ROOM, page(none)).findings(checkSettled)).toEqual([
      '0 reactions 👍 on 1 instead of 1',
    ])
  })

  test('leaves open what an unanswered request did', () => {
    const history = () => sending().call(ada, 'pin', OF_MESSAGE)
    expect(readAtTheEnd(history(), shown).findings(checkSettled)).toEqual([])
    expect(readAtTheEnd(history(), { ...shown, pinnedAt: 'then' }).findings(checkSettled)).toEqual([])
  })
})
