import { expect, test } from 'vitest'
import { checkWrongRequests } from './wrong-requests.ts'
import { WrittenHistory } from './written-history.ts'

test('checkWrongRequests finds wrong requests that are accepted, or refused as something else', () => {
  const history = new WrittenHistory()
  const send = (wrong: string, status: number, place: object = {}): void => {
    history.call(history.bot, 'sendWrong', { wrong, ...place }, { status, body: {} })
  }
  send('emptyText', 400)
  send('blankText', 201)
  send('foreignRoom', 422, { channelId: 'channel' })
  send('foreignRoom', 403, { channelId: 'channel' })
  send('hiddenRoom', 422, { channelId: 'channel', roomId: 'hidden' })
  send('hiddenRoom', 403, { channelId: 'channel', roomId: 'hidden' })
  history.call(history.owner, 'uninstall', { channelId: 'channel', applicationId: 'application' }, { status: 204 })
  send('foreignRoom', 422, { channelId: 'channel' })
  expect(history.violationsOf(checkWrongRequests)).toEqual([
    '201 instead of 400 (blankText)',
    '403 instead of 422 (foreignRoom)',
    '403 instead of 422 (hiddenRoom)',
    '422 instead of 403 (foreignRoom)',
  ])
})
