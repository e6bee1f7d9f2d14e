import { expect, test } from 'vitest'
import { checkDevices } from './devices.ts'
import { WrittenHistory } from './written-history.ts'

function mark(history: WrittenHistory, readUpTo: string): WrittenHistory {
  const args = { channelId: 'channel', roomId: 'room', messageId: readUpTo }
  return history.call(history.member, 'markRead', args, { status: 200, body: { roomId: 'room', readUpTo } })
}

function show(history: WrittenHistory, receiver: string, readUpTo: string): WrittenHistory {
  const data = { reading: { roomId: 'room', readUpTo } }
  const envelope = { event: 'reading.changed', timestamp: '', channelId: null, data }
  return history.add({ kind: 'event', receiver, offset: 0, envelope })
}

function twoDevices(): WrittenHistory {
  const history = new WrittenHistory()
  for (const receiver of ['portal', 'phone']) {
    history.add({ kind: 'receiver', receiver, actor: history.member, transport: 'portal' })
    history.add({ kind: 'subscribed', receiver })
  }
  return mark(history, '1')
}

test('checkDevices finds a device that does not show what was read on another one', () => {
  const both = mark(twoDevices(), '2')
  expect(show(show(both, 'portal', '2'), 'phone', '2').violationsOf(checkDevices)).toEqual([])
  const one = show(mark(twoDevices(), '2'), 'portal', '2')
  expect(one.violationsOf(checkDevices)).toEqual(['phone does not show what was read'])
})

test('checkDevices expects nothing of a mark that changes nothing', () => {
  expect(mark(twoDevices(), '1').violationsOf(checkDevices)).toEqual([])
})
