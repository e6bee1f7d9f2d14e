import { describe, expect, test } from 'vitest'
import { nameOfCredential } from '../history/credential-name.ts'
import { checkKeys } from './keys.ts'
import { WrittenHistory } from './written-history.ts'

const SCOPES = ['messages:write', 'events']
const credential = nameOfCredential('first')

function withKey(scopes: readonly string[] = SCOPES): WrittenHistory {
  const history = new WrittenHistory()
  return issue(history, 'first', scopes)
}

function issue(history: WrittenHistory, key: string, scopes: readonly string[] = SCOPES): WrittenHistory {
  return history.call(
    history.owner,
    'issueKey',
    { applicationId: 'application', scopes },
    { status: 201, body: { key } },
  )
}

const PLACE = { channelId: 'channel', roomId: 'room' }

describe('checkKeys', () => {
  test('accepts that a key works, and that the old one is refused', () => {
    const history = withKey()
    history.call(history.bot, 'send', PLACE, { status: 201, body: { id: '1' }, credential })
    issue(history, 'second').call(history.bot, 'send', PLACE, { status: 401, credential })
    expect(history.violationsOf(checkKeys)).toEqual([])
  })

  test('finds an old key that still works', () => {
    const history = issue(withKey(), 'second')
    history.call(history.bot, 'send', PLACE, { status: 201, body: { id: '1' }, credential })
    expect(history.violationsOf(checkKeys)).toEqual(['Bot (send): 201 after its key or session had ended'])
  })

  test('finds a key that works no longer, though nobody has replaced it', () => {
    const history = withKey()
    history.call(history.bot, 'send', PLACE, { status: 401, credential })
    expect(history.violationsOf(checkKeys)).toEqual(['Bot (send): 401 with a key that works'])
  })

  test('finds what was done without the scope, and refusals for a scope that the key has', () => {
    const history = withKey()
    history.call(history.bot, 'listRooms', PLACE, { status: 200, body: { rooms: [] }, credential })
    history.call(history.bot, 'send', PLACE, { status: 403, body: { requiredScope: 'messages:write' }, credential })
    expect(history.violationsOf(checkKeys)).toEqual([
      'Bot (listRooms): 200 without the scope channel:read',
      'Bot (send) was refused for the scope messages:write, which the key has',
    ])
  })

  test('finds a stream that stays open when its key is replaced', () => {
    const history = withKey()
    history.add({ kind: 'receiver', receiver: 'stream', actor: history.bot, transport: 'stream', credential })
    history.add({ kind: 'subscribed', receiver: 'stream' })
    issue(history, 'second')
    expect(history.violations(checkKeys)).toEqual([])
    expect(history.violationsOf(checkKeys)).toEqual(['stream was not closed'])
  })

  test('waits for the stream of a key that has just ended, and on a busy machine for what is sent after it', () => {
    const history = withKey()
    history.add({ kind: 'receiver', receiver: 'stream', actor: history.bot, transport: 'stream', credential })
    history.add({ kind: 'subscribed', receiver: 'stream' }).add({ kind: 'busy', what: 'begins' })
    issue(history, 'second').send(history.member, '1', 'hello zq000001').wait(30)
    history.send(history.member, '2', 'bye zq000002')
    const arrive = (id: string): void => {
      const data = { roomId: 'room', message: { id } }
      const envelope = { event: 'message.created', timestamp: '', channelId: 'channel', data }
      history.add({ kind: 'event', receiver: 'stream', offset: Number(id), envelope })
    }
    arrive('1')
    expect(history.violations(checkKeys)).toEqual([])
    arrive('2')
    expect(history.violations(checkKeys)).toEqual(['stream got an event after its key or session had ended'])
  })

  test('finds deliveries while the key has no scope for them', () => {
    const history = new WrittenHistory()
    history.add({ kind: 'receiver', receiver: 'webhook', actor: history.bot, transport: 'webhook' })
    issue(history, 'first', ['messages:write']).wait(30)
    const envelope = { event: 'message.created', timestamp: '', channelId: 'channel', data: {} }
    const delivery = {
      kind: 'delivery',
      receiver: 'webhook',
      delivery: '1',
      header: '',
      isSigned: true,
      answered: 204,
    } as const
    history.add({ ...delivery, envelope })
    expect(history.violationsOf(checkKeys)).toEqual(['webhook got a delivery while the key had no scope for it'])
  })

  test('finds a session that works after it was ended, and one that nobody has ended and that doesn’t', () => {
    const history = new WrittenHistory()
    history.call(history.member, 'signOut', {}, { status: 204, credential: 'phone' })
    history.call(history.member, 'listReadStates', {}, { status: 200, body: { rooms: [] }, credential: 'phone' })
    history.call(history.owner, 'listReadStates', {}, { status: 401, credential: 'desktop' })
    expect(history.violationsOf(checkKeys)).toEqual([
      'Member (listReadStates): 200 after its key or session had ended',
      'Owner (listReadStates): 401 in a session that nobody has ended',
    ])
  })
})
