import { describe, expect, test } from 'vitest'
import type { AuditEntry } from '@portico/contract'
import { checkAnswers } from './answers.ts'
import { checkAudit } from './audit.ts'
import { checkCounts } from './counts.ts'
import { ada, ben, bot, CHANNEL, IN_ROOM, readAtTheEnd, refused, ROOM, sent, withChannel } from './history-fixture.ts'
import { checkLeaks } from './leaks.ts'
import { checkReadPositions } from './read-positions.ts'
import { checkTraces } from './traces.ts'
import { checkVoice } from './voice.ts'

const TEXT = 'hello zq000001'
const ok = { status: 200, body: {} }
const OF_MESSAGE = { ...IN_ROOM, messageId: '1' }
const sending = (text = TEXT) => withChannel().call(ben, 'send', { ...IN_ROOM, text }, sent('1'))

describe('checkAnswers', () => {
  const status = (code: number, name: string, details = {}) => {
    return withChannel()
      .call(ben, 'search', {}, refused(code, name, details))
      .findings(checkAnswers)
  }

  test('accepts documented refusals', () => {
    expect(status(403, 'Forbidden', { requiredRight: 'write_text_room' })).toEqual([])
    expect(status(429, 'Too Many Requests', { retryAfterSec: 3 })).toEqual([])
  })

  test('finds other statuses, names and fields', () => {
    expect(status(409, 'Conflict')).toContain('Ben (search): 409 is not documented')
    const other = ['Ben (search): 403 with another body than documented']
    expect(status(403, 'Unauthorized')).toEqual(other)
    expect(status(403, 'Forbidden', { stack: 'at …' })).toEqual(other)
    expect(status(403, 'Forbidden', { retryAfterSec: 3 })).toEqual(other)
    expect(status(403, 'Forbidden', { requiredScope: 'everything' })).toEqual(other)
    expect(status(429, 'Too Many Requests')).toEqual(['Ben (search): 429 with another body than documented'])
  })

  test('finds 500 always, and 504 unless a fault explains it', () => {
    expect(status(500, 'Internal Server Error')).toContain('Ben (search): 500')
    expect(status(504, 'Gateway Timeout')).toEqual(['Ben (search): 504'])
    const during = withChannel({ faults: ['freeze-postgres'] }).add({
      kind: 'fault',
      fault: 'freeze-postgres',
      what: 'begins',
    })
    expect(during.call(ben, 'search', {}, refused(504, 'Gateway Timeout')).findings(checkAnswers)).toEqual([])
    expect(during.call(ben, 'search', {}, refused(500, 'Internal Server Error')).findings(checkAnswers)).toContain(
      'Ben (search): 500',
    )
  })

  test('finds silence and slowness', () => {
    const silent = withChannel().call(ben, 'search').at(90_000).call(ben, 'getProfile', {}, ok)
    expect(silent.findings(checkAnswers)).toEqual(['Ben (search) got no answer: hung up'])
    const slow = withChannel().call(ben, 'search', {}, { ...ok, took: 21_000 })
    expect(slow.findings(checkAnswers)).toEqual(['Ben (search): the answer took 21000 ms'])
  })

  test('finds ends, errors and secrets of the program', () => {
    const history = withChannel()
      .add({ kind: 'ended', process: 'portico', code: 1, signal: null, output: '' })
      .add({ kind: 'log', process: 'portico', line: '{"level":50,"msg":"internal error"}' })
      .add({ kind: 'log', process: 'portico', line: 'key_123', secret: true })
    expect(history.findings(checkAnswers)).toEqual([
      'portico ended by itself (1)',
      'an error in the log of portico',
      'a secret is in the log of portico',
    ])
  })
})

describe('checkTraces', () => {
  const hit = (marks: string) => ({ status: 200, body: { hits: [marks] } })
  const search = { channelId: CHANNEL, q: 'hello' }

  test('finds deleted messages', () => {
    const history = () => sending().call(ben, 'delete', OF_MESSAGE, { status: 204 })
    expect(history().call(ada, 'search', search, hit('nothing')).findings(checkTraces)).toEqual([])
    expect(history().call(ada, 'search', search, hit(TEXT)).findings(checkTraces)).toEqual([
      'Ada (search) contains a deleted message',
    ])
    const file = { ...IN_ROOM, name: 'a.txt', content: 'zq000009' }
    const uploaded = withChannel().call(ben, 'upload', file, { status: 201, body: {} })
    expect(
      uploaded.call(ada, 'getFile', { path: '/x' }, { status: 200, body: 'zq000009' }).findings(checkTraces),
    ).toEqual([])
  })

  test('finds what the reader may not read', () => {
    const hidden = () => sending().call(ada, 'updateRoom', { ...IN_ROOM, private: true }, ok)
    expect(hidden().call(ada, 'search', search, hit(TEXT)).findings(checkTraces)).toEqual([])
    expect(hidden().call(ben, 'search', search, hit(TEXT)).findings(checkTraces)).toEqual([
      'Ben (search) contains zq000001, which Ben may not read',
    ])
    const rooms = (...ids: string[]) => ({
      status: 200,
      body: { rooms: ids.map((id) => ({ id, name: id, type: 'text' })) },
    })
    expect(hidden().call(ben, 'listRooms', { channelId: CHANNEL }, rooms(ROOM)).findings(checkTraces)).toEqual([
      `Ben sees the room ${ROOM} in the list of rooms`,
    ])
    expect(sending().call(ben, 'listRooms', { channelId: CHANNEL }, rooms()).findings(checkTraces)).toEqual([
      `Ben does not see the room ${ROOM} in the list of rooms`,
    ])
    const states = { status: 200, body: { rooms: [{ channelId: CHANNEL, roomId: ROOM }] } }
    expect(hidden().call(ben, 'listReadStates', {}, states).findings(checkTraces)).toEqual([
      `Ben has a read state of the room ${ROOM}, which they may not read`,
    ])
  })

  test('finds answers to former members, and exports of what others wrote', () => {
    const left = withChannel().call(ben, 'leave', { channelId: CHANNEL }, ok)
    expect(left.call(ben, 'listMembers', { channelId: CHANNEL }, ok).findings(checkTraces)).toEqual([
      'Ben (listMembers): an answer for someone who is no member',
    ])
    expect(sending().call(ben, 'exportData', {}, hit(TEXT)).findings(checkTraces)).toEqual([])
    expect(sending().call(ada, 'exportData', {}, hit(TEXT)).findings(checkTraces)).toEqual([
      'Ada (exportData) contains what someone else wrote',
    ])
  })
})

describe('checkCounts', () => {
  const final = { status: 200, isFinal: true }
  const state = (fields: object) => ({
    ...final,
    body: {
      rooms: [
        { channelId: CHANNEL, roomId: ROOM, readUpTo: '0', lastMessageId: '1', unread: true, mentions: 0, ...fields },
      ],
    },
  })
  const counts = (fields: object, text = TEXT, reader = ada) => {
    return readAtTheEnd(sending(text), { id: '1', text })
      .call(reader, 'listReadStates', {}, state(fields))
      .findings(checkCounts)
  }

  test('compares what is unread with the messages of others', () => {
    expect(counts({})).toEqual([])
    expect(counts({ unread: false })).toHaveLength(1)
    expect(counts({ lastMessageId: '7' })).toHaveLength(1)
    expect(counts({ readUpTo: '1' })).toHaveLength(1)
    // One’s own message.
    expect(counts({}, TEXT, ben)).toHaveLength(1)
    expect(counts({ unread: false }, TEXT, ben)).toEqual([])
  })

  test('compares mentions', () => {
    const text = '<@ada> zq000001'
    expect(counts({ mentions: 1 }, text)).toEqual([])
    expect(counts({ mentions: 0 }, text)).toEqual(['Ada: 0 mentions in room instead of 1'])
  })

  test('compares who is online with whose portal is open', () => {
    const online = (isOnline: boolean) => {
      const members = [{ id: ben.id, name: ben.name, online: isOnline, isBot: false }]
      return withChannel()
        .add({ kind: 'receiver', receiver: 'portal', actor: ben, transport: 'portal' })
        .quiet()
        .call(ada, 'listMembers', { channelId: CHANNEL }, { ...final, body: { members } })
        .findings(checkCounts)
    }
    expect(online(true)).toEqual([])
    expect(online(false)).toEqual(['Ben is shown as offline'])
  })
})

describe('checkReadPositions', () => {
  const states = (readUpTo: string) => ({
    status: 200,
    isFinal: true,
    body: { rooms: [{ channelId: CHANNEL, roomId: ROOM, readUpTo }] },
  })

  test('expects a position that is not before the last mark', () => {
    const marked = (readUpTo: string) => {
      const history = withChannel().call(ben, 'markRead', { ...IN_ROOM, messageId: '5' }, ok)
      return history.quiet().call(ben, 'listReadStates', {}, states(readUpTo)).findings(checkReadPositions)
    }
    expect(marked('5')).toEqual([])
    expect(marked('4')).toEqual(['Ben has read up to 4, not up to 5'])
  })

  test('expects a position before a message that was marked as unread', () => {
    const marked = (readUpTo: string) => {
      const history = withChannel().call(ben, 'markUnread', OF_MESSAGE, ok)
      return history.quiet().call(ben, 'listReadStates', {}, states(readUpTo)).findings(checkReadPositions)
    }
    expect(marked('0')).toEqual([])
    expect(marked('1')).toEqual(['Ben has read up to 1, though marked unread from 1'])
  })
})

describe('checkAudit', () => {
  const log = (...entries: readonly Partial<AuditEntry>[]) => ({
    status: 200,
    isFinal: true,
    body: { entries: entries.map((entry) => ({ details: {}, ...entry })), hasMore: false },
  })
  const created = { action: 'room.created', actor: { id: ada.id, name: ada.name }, targetId: ROOM }
  const joined = { action: 'member.joined', actor: { id: ben.id, name: ben.name }, targetId: ben.id }
  const installed = { action: 'application.installed', actor: { id: ada.id, name: ada.name }, targetId: 'application' }
  const read = (...entries: readonly Partial<AuditEntry>[]) => {
    return withChannel()
      .quiet()
      .call(ada, 'listAudit', { channelId: CHANNEL }, log(...entries))
      .findings(checkAudit)
  }

  test('expects one entry for every act', () => {
    expect(read(created, joined, installed)).toEqual([])
    expect(read(joined, installed)).toEqual([`0 audit entries instead of at least 1: room.created ada ${ROOM}`])
    expect(read(created, created, joined, installed)).toEqual([
      `2 audit entries instead of at most 1: room.created ada ${ROOM}`,
    ])
  })

  test('expects entries for the bots that a ban removes', () => {
    const removed = { action: 'application.removed', actor: created.actor, targetId: 'bo' }
    const banned = { action: 'member.banned', actor: created.actor, targetId: ben.id }
    const history = withChannel()
      .call(ben, 'createApplication', { name: 'Bo' }, { status: 201, body: { id: 'bo', bot: { id: 'bot of Ben' } } })
      .call(ada, 'ban', { channelId: CHANNEL, userId: ben.id }, { status: 200, body: {} })
      .quiet()
      .call(ada, 'listAudit', { channelId: CHANNEL }, log(created, joined, installed, banned, removed))
    expect(history.findings(checkAudit)).toEqual([])
  })

  test('finds entries for what nobody did', () => {
    const kicked = { action: 'member.kicked', actor: { id: ada.id, name: ada.name }, targetId: ben.id }
    expect(read(created, joined, installed, kicked)).toEqual([
      'an audit entry for what nobody did: member.kicked ada ben',
    ])
  })
})

describe('checkVoice', () => {
  const bridge = { channelId: CHANNEL, roomId: 'bridge' }
  const withBridge = () => {
    return withChannel()
      .call(
        ada,
        'createRoom',
        { channelId: CHANNEL, name: 'bridge', type: 'voice' },
        { status: 201, body: { id: 'bridge' } },
      )
      .add({ kind: 'receiver', receiver: 'portal', actor: ada, transport: 'portal' })
      .add({ kind: 'subscribed', receiver: 'portal' })
  }

  test('expects that everyone learns who enters and leaves', () => {
    const history = withBridge().call(ben, 'joinVoice', bridge, ok).call(ben, 'leaveVoice', bridge, { status: 204 })
    expect(history.quiet().findings(checkVoice)).toEqual([
      'portal missed voice.member_joined',
      'portal missed voice.member_left',
    ])
  })

  test('accepts that someone who lost the connection to the media server is out before they leave', () => {
    const event = { roomId: 'bridge', user: { id: ben.id } }
    const history = withBridge()
      .call(ben, 'joinVoice', bridge, ok)
      .event('portal', 'voice.member_joined', event, 1)
      .event('portal', 'voice.member_left', event, 2)
      .at(20_000)
      .call(ben, 'leaveVoice', bridge, { status: 204 })
    expect(history.quiet().findings(checkVoice)).toEqual([])
  })

  test('expects nothing of who was inside or outside already', () => {
    const history = withBridge().call(ben, 'leaveVoice', bridge, { status: 204 })
    expect(history.quiet().findings(checkVoice)).toEqual([])
  })

  test('finds voice events of someone who was in no room', () => {
    const history = withBridge().event('portal', 'voice.member_left', { roomId: null, user: { id: bot.id } }, 1)
    expect(history.findings(checkVoice)).toEqual(['portal got a voice event of someone who was never in a voice room'])
  })
})

describe('checkLeaks', () => {
  const held = (before: number, after: number, name = 'portico: descriptors') => {
    return withChannel()
      .add({ kind: 'sample', when: 'before', held: { [name]: before } })
      .add({ kind: 'sample', when: 'after', held: { [name]: after } })
      .findings(checkLeaks)
  }

  test('finds what is not given back', () => {
    expect(held(50, 60)).toEqual([])
    expect(held(50, 90)).toEqual(['portico: descriptors: 90 instead of 50'])
    expect(held(0, 1, 'temporary files')).toEqual(['temporary files: 1 instead of 0'])
    expect(held(200, 900, 'portico: resident MB')).toHaveLength(1)
  })
})
