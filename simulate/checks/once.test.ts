import { describe, expect, test } from 'vitest'
import { ben, IN_ROOM, readAtTheEnd, refused, sent, withChannel } from './history-fixture.ts'
import { checkOnce } from './once.ts'

const FIRST = 'hello zq000001'
const OTHER = 'hello zq000002'

describe('checkOnce', () => {
  const sending = () => withChannel().call(ben, 'send', { ...IN_ROOM, text: FIRST }, sent('1'))
  const edit = { ...IN_ROOM, messageId: '1', text: OTHER }

  test('accepts a message that is there once', () => {
    expect(readAtTheEnd(sending(), { id: '1', text: FIRST }).findings(checkOnce)).toEqual([])
  })

  test('finds an acknowledged message that is missing', () => {
    expect(readAtTheEnd(sending()).findings(checkOnce)).toEqual(['an acknowledged message is not in the history'])
  })

  test('finds a message that is there twice', () => {
    const history = readAtTheEnd(sending(), { id: '2', text: FIRST }, { id: '1', text: FIRST })
    expect(history.findings(checkOnce)).toEqual(['a message is in the history more often than it can have been sent'])
  })

  test('finds a refused message, in the history and wherever it was read', () => {
    const history = withChannel().call(ben, 'send', { ...IN_ROOM, text: FIRST }, refused(403, 'Forbidden'))
    expect(readAtTheEnd(history, { id: '1', text: FIRST }).findings(checkOnce)).toEqual([
      'a refused message is in the history',
      'a refused text was read',
    ])
  })

  test('finds a message that a 504 has refused', () => {
    const history = withChannel().call(ben, 'send', { ...IN_ROOM, text: FIRST }, refused(504, 'Gateway Timeout'))
    expect(readAtTheEnd(history, { id: '1', text: FIRST }).findings(checkOnce)).toContain(
      'a refused message is in the history',
    )
  })

  test('accepts an unanswered message once or not at all', () => {
    const history = () => withChannel().call(ben, 'send', { ...IN_ROOM, text: FIRST })
    expect(readAtTheEnd(history()).findings(checkOnce)).toEqual([])
    expect(readAtTheEnd(history(), { id: '1', text: FIRST }).findings(checkOnce)).toEqual([])
    expect(readAtTheEnd(history(), { id: '2', text: FIRST }, { id: '1', text: FIRST }).findings(checkOnce)).toEqual([
      'a message is in the history more often than it can have been sent',
    ])
  })

  test('finds an unanswered message that was stored after its deadline', () => {
    const history = withChannel().call(ben, 'send', { ...IN_ROOM, text: FIRST })
    const late = { id: '1', text: FIRST, createdAt: '2026-01-01T00:01:00.000Z' }
    expect(readAtTheEnd(history, late).findings(checkOnce)).toEqual([
      'a message without an answer was stored after its deadline',
    ])
  })

  test('treats the answer of a proxy as none', () => {
    const history = withChannel().call(ben, 'send', { ...IN_ROOM, text: FIRST }, { status: 502, body: '<html>' })
    expect(readAtTheEnd(history, { id: '1', text: FIRST }).findings(checkOnce)).toEqual([])
  })

  test('finds a deleted message', () => {
    const history = sending().call(ben, 'delete', { ...IN_ROOM, messageId: '1' }, { status: 204 })
    expect(readAtTheEnd(history, { id: '1', text: FIRST }).findings(checkOnce)).toEqual([
      'a deleted message is in the history',
    ])
  })

  test('finds an acknowledged edit that is missing, and accepts either text after an unanswered one', () => {
    const acknowledged = sending().call(ben, 'edit', edit, { status: 200, body: {} })
    expect(readAtTheEnd(acknowledged, { id: '1', text: FIRST }).findings(checkOnce)).toEqual([
      `a message reads “${FIRST}”`,
    ])
    for (const text of [FIRST, OTHER]) {
      expect(readAtTheEnd(sending().call(ben, 'edit', edit), { id: '1', text }).findings(checkOnce)).toEqual([])
    }
  })

  test('finds a message of nobody', () => {
    expect(readAtTheEnd(withChannel(), { id: '1', text: FIRST }).findings(checkOnce)).toEqual([
      'nobody sent the message 1',
    ])
  })
})
