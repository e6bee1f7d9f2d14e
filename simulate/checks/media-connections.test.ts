import { describe, expect, test } from 'vitest'
import type { Media } from '../history/history.ts'
import { checkMediaConnections } from './media-connections.ts'
import { WrittenHistory } from './written-history.ts'

const PLACE = { channelId: 'channel', roomId: 'voice' }

function media(history: WrittenHistory, ...whats: readonly Media['what'][]): WrittenHistory {
  for (const what of whats) history.add({ kind: 'media', connection: 1, actor: history.member, ...PLACE, what })
  return history
}

function list(history: WrittenHistory, ...ids: readonly string[]): WrittenHistory {
  const rooms = [{ id: 'voice', name: 'bridge', type: 'voice', users: ids.map((id) => ({ id })) }]
  return history.call(history.owner, 'listRooms', { channelId: 'channel' }, { status: 200, body: { rooms } })
}

function joined(): WrittenHistory {
  const history = new WrittenHistory()
  return history.call(history.member, 'joinVoice', PLACE, { status: 200, body: {} })
}

describe('checkMediaConnections', () => {
  test('accepts who is connected, and who has just joined', () => {
    const history = list(joined(), 'member')
    list(media(history, 'opens', 'connected').wait(300), 'member')
    expect(history.violationsOf(checkMediaConnections)).toEqual([])
  })

  test('finds who has not been connected for long, and who never joined', () => {
    const history = list(list(joined().wait(120), 'member'), 'owner')
    expect(history.violationsOf(checkMediaConnections)).toEqual([
      'Member is still in a voice room 120 s after the last connection',
      'owner is in a voice room, and has never joined it',
    ])
  })

  test('finds who stays connected after being put out', () => {
    const history = media(joined(), 'opens', 'connected')
    history.call(history.owner, 'kick', { channelId: 'channel', userId: 'member' }, { status: 204 }).wait(30)
    expect(history.violationsOf(checkMediaConnections)).toEqual(['Member stayed connected to a voice room'])
    const closed = media(joined(), 'opens', 'connected')
    closed.call(closed.owner, 'kick', { channelId: 'channel', userId: 'member' }, { status: 204 })
    expect(media(closed, 'closed').violationsOf(checkMediaConnections)).toEqual([])
  })
})
