import { expect, test } from 'vitest'
import { checkFiles } from './files.ts'
import { WrittenHistory } from './written-history.ts'

const TEXT = 'tide zq000001 [notes.txt](/files/1/notes.txt)'

function get(history: WrittenHistory, status: number): WrittenHistory {
  return history.call(history.member, 'getFile', { path: '/files/1/notes.txt' }, { status, body: '' })
}

test('checkFiles finds files that are missing, private or deleted, and served or not', () => {
  const open = new WrittenHistory()
  get(get(open.send(open.owner, '1', TEXT), 200), 404)
  expect(open.violationsOf(checkFiles)).toEqual(['Member (getFile): 404 for a file that they may read'])
  const hidden = new WrittenHistory()
  get(get(hidden.send(hidden.owner, '1', TEXT, { roomId: 'hidden' }), 404), 200)
  expect(hidden.violationsOf(checkFiles)).toEqual(['Member (getFile) got a file of a room that they may not read'])
  const deleted = new WrittenHistory()
  deleted.send(deleted.owner, '1', TEXT)
  const of = { channelId: 'channel', roomId: 'room', messageId: '1' }
  get(get(deleted.call(deleted.owner, 'delete', of, { status: 204 }).wait(10), 404), 200)
  expect(deleted.violationsOf(checkFiles)).toEqual(['Member (getFile) got a file of a deleted message'])
})
