import { describe, expect, test } from 'vitest'
import { checkPush } from './push.ts'
import { WrittenHistory } from './written-history.ts'

function notify(history: WrittenHistory, messageId: string, body: string): WrittenHistory {
  return history.add({ kind: 'push', actor: history.member, title: 'Owner', body, messageId, answered: 201 })
}

describe('checkPush', () => {
  test('accepts the notification of a message, and finds one with another text', () => {
    const history = new WrittenHistory()
    notify(notify(history.send(history.owner, '1', 'tide zq000001'), '1', 'tide zq000001'), '1', 'tide zq000002')
    expect(history.violationsOf(checkPush)).toEqual(['Member was notified with the text of another message'])
  })

  test('finds what was deleted, and what is in a room that its receiver doesn’t see', () => {
    const history = new WrittenHistory()
    history.send(history.owner, '1', 'tide zq000001')
    const of = { channelId: 'channel', roomId: 'room', messageId: '1' }
    history.call(history.owner, 'delete', of, { status: 204 })
    history.send(history.owner, '2', 'rope zq000002', { roomId: 'hidden' }).wait(60)
    notify(notify(history, '1', 'tide zq000001'), '2', 'rope zq000002')
    expect(history.violationsOf(checkPush)).toEqual([
      'Member was notified of a deleted message',
      'Member was notified of a message that they may not read',
    ])
  })
})
