import { describe, expect, test } from 'vitest'
import { ada, ben, IN_ROOM, page, sent, withChannel } from './history-fixture.ts'
import { checkReads } from './reads.ts'

const FIRST = 'hello zq000001'
const OTHER = 'hello zq000002'

describe('checkReads', () => {
  const sending = () => withChannel().call(ben, 'send', { ...IN_ROOM, text: FIRST }, sent('1'))

  test('finds a page without a message that was acknowledged before', () => {
    expect(
      sending()
        .call(ada, 'read', IN_ROOM, page({ id: '1', text: FIRST }))
        .findings(checkReads),
    ).toEqual([])
    expect(sending().call(ada, 'read', IN_ROOM, page()).findings(checkReads)).toEqual([
      'Ada did not get an acknowledged message',
    ])
  })

  test('finds a text that had been replaced', () => {
    const history = sending().call(ben, 'edit', { ...IN_ROOM, messageId: '1', text: OTHER }, { status: 200, body: {} })
    expect(history.call(ada, 'read', IN_ROOM, page({ id: '1', text: FIRST })).findings(checkReads)).toEqual([
      'Ada got a text that had been replaced',
    ])
  })

  test('finds a message that appears after its deadline', () => {
    const history = withChannel()
      .call(ben, 'send', { ...IN_ROOM, text: FIRST })
      .at(60_000)
    history.call(ada, 'read', IN_ROOM, page())
    expect(history.call(ada, 'read', IN_ROOM, page({ id: '1', text: FIRST })).findings(checkReads)).toEqual([
      'what got no answer in time happened later (send)',
    ])
  })

  test('finds an edit and a deletion after their deadlines', () => {
    const edited = sending()
      .call(ben, 'edit', { ...IN_ROOM, messageId: '1', text: OTHER })
      .at(60_000)
    edited.call(ada, 'read', IN_ROOM, page({ id: '1', text: FIRST }))
    expect(edited.call(ada, 'read', IN_ROOM, page({ id: '1', text: OTHER })).findings(checkReads)).toEqual([
      'what got no answer in time happened later (edit)',
    ])
    const deleted = sending()
      .call(ben, 'delete', { ...IN_ROOM, messageId: '1' })
      .at(60_000)
    deleted.call(ada, 'read', IN_ROOM, page({ id: '1', text: FIRST }))
    expect(deleted.call(ada, 'read', IN_ROOM, page()).findings(checkReads)).toEqual([
      'what got no answer in time happened later (delete)',
    ])
  })
})
