import { describe, expect, test } from 'vitest'
import { WITH_PRESSES } from '../history/event-kinds.ts'
import type { Actor } from '../history/history.ts'
import { checkArrivals } from './arrivals.ts'
import { checkDelivery } from './delivery.ts'
import { ada, ben, bot, CHANNEL, IN_ROOM, ROOM, sent, withChannel, type WrittenHistory } from './history-fixture.ts'
import { checkQuiet } from './quiet.ts'

const TEXT = 'hello zq000001'
const ok = { status: 200, body: {} }
const OF_MESSAGE = { ...IN_ROOM, messageId: '1' }
const created = (id: string, text = TEXT) => ({ roomId: ROOM, message: { id, text } })

/** Ada’s portal and the bot’s stream are open. */
function withReceivers(): WrittenHistory {
  return withChannel()
    .add({ kind: 'receiver', receiver: 'portal', actor: ada, transport: 'portal' })
    .add({ kind: 'receiver', receiver: 'stream', actor: bot, transport: 'stream' })
    .add({ kind: 'subscribed', receiver: 'portal' })
    .add({ kind: 'subscribed', receiver: 'stream' })
    .at(10_000)
}

describe('checkDelivery', () => {
  const sending = () => withReceivers().call(ben, 'send', { ...IN_ROOM, text: TEXT }, sent('1'))

  test('expects every message at everyone who can read the room', () => {
    const history = sending().event('portal', 'message.created', created('1'), 1)
    expect(history.quiet().findings(checkDelivery)).toEqual(['stream missed message.created'])
    const complete = sending().event('portal', 'message.created', created('1'), 1)
    complete.event('stream', 'message.created', created('1'), 1)
    expect(complete.quiet().findings(checkDelivery)).toEqual([])
  })

  test('finds a missed message as soon as a later one arrives', () => {
    const history = sending().call(ben, 'send', { ...IN_ROOM, text: 'bye zq000002' }, sent('2'))
    for (const receiver of ['portal', 'stream'])
      history.event(receiver, 'message.created', created('2', 'bye zq000002'), 2)
    expect(history.findings(checkDelivery)).toEqual(['portal missed message.created', 'stream missed message.created'])
  })

  test('takes nobody’s later departure for the one that they missed', () => {
    const AGAIN = 60_000
    const history = withReceivers()
    for (const time of [20_000, AGAIN]) {
      history.at(time).call(ben, 'leave', { channelId: CHANNEL }, { status: 204 })
      if (time === AGAIN) history.event('portal', 'member.left', { userId: ben.id }, 2)
      history.call(ben, 'join', { channelId: CHANNEL }, ok)
    }
    const missed = history
      .quiet()
      .violations(checkDelivery)
      .filter(({ what }) => what === 'portal missed member.left')
    expect(missed.map(({ shownBy: [leave] }) => leave?.at)).toEqual([20_000])
  })

  test('finds that a webhook missed a message as soon as it gets a later one of the room', () => {
    const deliver = (history: WrittenHistory, id: string): WrittenHistory => {
      const envelope = { event: 'message.created', timestamp: 'now', channelId: CHANNEL, data: created(id) }
      const delivery = { kind: 'delivery', delivery: id, header: envelope.event, isSigned: true } as const
      return history.add({ ...delivery, receiver: 'webhook', envelope, answered: 204 })
    }
    const history = withChannel()
      .call(bot, 'setWebhook', { url: 'https://example.com' }, ok)
      .add({ kind: 'receiver', receiver: 'webhook', actor: bot, transport: 'webhook' })
      .call(ben, 'send', { ...IN_ROOM, text: TEXT }, sent('1'))
      .call(ben, 'send', { ...IN_ROOM, text: 'bye zq000002' }, sent('2'))
    expect(history.findings(checkDelivery)).toEqual([])
    expect(deliver(history, '2').findings(checkDelivery)).toEqual(['webhook missed message.created'])
    expect(deliver(history, '1').findings(checkDelivery)).toEqual([])
  })

  test('expects edits, deletions, reactions and pins', () => {
    const history = sending()
    for (const receiver of ['portal', 'stream']) history.event(receiver, 'message.created', created('1'), 1)
    history
      .call(ben, 'edit', { ...OF_MESSAGE, text: 'hi zq000003' }, ok)
      .call(ben, 'react', { ...OF_MESSAGE, emoji: '👍' }, { status: 201, body: {} })
      .call(ben, 'unreact', { ...OF_MESSAGE, emoji: '👍' }, { status: 204 })
      .call(ada, 'pin', OF_MESSAGE, { status: 201, body: {} })
      .call(ada, 'unpin', OF_MESSAGE, { status: 204 })
    const events = ['message.updated', 'reaction.added', 'reaction.removed']
    const expected = ['portal', 'stream'].flatMap((receiver) => [
      ...events.map((event) => `${receiver} missed ${event}`),
      // Pins are for people.
      ...(receiver === 'portal' ? ['portal missed message.pinned', 'portal missed message.unpinned'] : []),
    ])
    expect(history.quiet().findings(checkDelivery)).toEqual(expected)
  })

  test('expects nothing of what changed nothing', () => {
    const reaction = { ...OF_MESSAGE, emoji: '👍' }
    const history = withReceivers()
      .call(ben, 'unreact', reaction, { status: 204 })
      .call(ada, 'unpin', OF_MESSAGE, { status: 204 })
    expect(history.quiet().findings(checkDelivery)).toEqual([])
  })

  test('expects that members learn who joins and leaves', () => {
    const history = withReceivers()
      .call(ben, 'leave', { channelId: CHANNEL }, ok)
      .call(ben, 'join', { channelId: CHANNEL }, ok)
    expect(history.quiet().findings(checkDelivery)).toEqual([
      'portal missed member.left',
      'portal missed member.joined',
    ])
  })

  test('expects nothing after a terminal end, and finds a failed recovery', () => {
    const ended = sending().add({ kind: 'closed', receiver: 'stream', code: 3503 })
    ended.event('portal', 'message.created', created('1'), 1)
    expect(ended.quiet().findings(checkDelivery)).toEqual([])
    const failed = withReceivers().add({ kind: 'subscribed', receiver: 'portal', recovered: false })
    expect(failed.findings(checkDelivery)).toEqual(['portal could not recover'])
  })
})

describe('checkArrivals', () => {
  const sendAnd = (history: WrittenHistory, receiver: string, actor = ben): WrittenHistory => {
    return history
      .call(actor, 'send', { ...IN_ROOM, text: TEXT }, sent('1'))
      .event(receiver, 'message.created', created('1'), 1)
  }

  test('accepts what everyone may know', () => {
    expect(sendAnd(withReceivers(), 'stream').findings(checkArrivals)).toEqual([])
  })

  test('finds an event that nobody caused', () => {
    const history = withReceivers().event('portal', 'message.created', created('7'), 1)
    expect(history.findings(checkArrivals)).toEqual(['portal got message.created, which nobody caused'])
  })

  test('finds that a bot gets its own action, or what is for people', () => {
    expect(sendAnd(withReceivers(), 'stream', bot).findings(checkArrivals)).toEqual([
      'stream got an event that is not for it',
    ])
    const history = withReceivers().event('stream', 'member.joined', { userId: 'ben' }, 1)
    expect(history.findings(checkArrivals)).toContain('stream got member.joined, which it didn’t ask for')
  })

  test('finds an event that happened after the right to it was gone', () => {
    const hidden = withReceivers().call(ada, 'updateRoom', { ...IN_ROOM, private: true }, ok)
    expect(sendAnd(hidden, 'stream').findings(checkArrivals)).toEqual(['stream got what Anchor may not know of'])
  })

  test('accepts an event that was on its way when the right was taken, and finds one that comes much later', () => {
    const history = (after: number) => {
      const sending = withReceivers().call(ben, 'send', { ...IN_ROOM, text: TEXT }, sent('1'))
      sending.call(ada, 'updateRoom', { ...IN_ROOM, private: true }, ok)
      return sending.at(after).event('stream', 'message.created', created('1'), 1)
    }
    expect(history(13_000).findings(checkArrivals)).toEqual([])
    expect(history(60_000).findings(checkArrivals)).toEqual(['stream got an event long after losing the right to it'])
  })

  test('accepts an event that is late, although who caused it has done the same again since', () => {
    const installed = { channelId: CHANNEL, applicationId: 'application' }
    const joined = { roomId: 'voice', user: { id: ben.id } }
    const room = { channelId: CHANNEL, name: 'cabin', type: 'voice' }
    const join = { channelId: CHANNEL, roomId: 'voice' }
    const history = withReceivers()
      .call(ada, 'createRoom', room, { status: 201, body: { id: 'voice' } })
      .at(30_000)
      .call(ben, 'joinVoice', join, ok)
      .call(ada, 'uninstall', installed, { status: 204 })
      .at(60_000)
      .call(ben, 'joinVoice', join, ok)
      .event('stream', 'voice.member_joined', joined, 1)
    expect(history.findings(checkArrivals)).toEqual([])
    const only = withReceivers()
      .call(ada, 'createRoom', room, { status: 201, body: { id: 'voice' } })
      .call(ada, 'uninstall', installed, { status: 204 })
      .at(60_000)
      .call(ben, 'joinVoice', join, ok)
      .event('stream', 'voice.member_joined', joined, 1)
    expect(only.findings(checkArrivals)).toEqual(['stream got what Anchor may not know of'])
  })

  test('finds the text of a message that had been deleted', () => {
    const history = withReceivers().call(ben, 'send', { ...IN_ROOM, text: TEXT }, sent('1'))
    history.call(ben, 'delete', OF_MESSAGE, { status: 204 }).at(60_000)
    expect(history.event('portal', 'message.created', created('1'), 1).findings(checkArrivals)).toEqual([
      'portal got the text of a deleted message',
    ])
    expect(history.event('portal', 'message.created', created('1', ''), 2).findings(checkArrivals)).toHaveLength(1)
  })

  test('finds deliveries without a signature or with another header', () => {
    const history = withReceivers().add({ kind: 'receiver', receiver: 'webhook', actor: bot, transport: 'webhook' })
    history.call(ben, 'send', { ...IN_ROOM, text: TEXT }, sent('1'))
    const envelope = { event: 'message.created', timestamp: 'now', channelId: CHANNEL, data: created('1') }
    const delivery = { kind: 'delivery' as const, receiver: 'webhook', delivery: 'x', envelope, answered: 204 }
    history.add({ ...delivery, header: 'message.created', isSigned: false })
    history.add({ ...delivery, header: 'message.deleted', isSigned: true })
    expect(history.findings(checkArrivals)).toEqual([
      'webhook got a delivery without a valid signature',
      'webhook got message.created with the header message.deleted',
    ])
  })
})

describe('presses and notices', () => {
  const other: Actor = { name: 'Buoy', id: 'buoy', kind: 'bot' }
  test('accepts what a bot gets about itself only if the voice room has turned private or public again', () => {
    const VOICE = { ...IN_ROOM, roomId: 'voice' }
    const joined = { roomId: 'voice', user: { id: bot.id, name: bot.name } }
    const inside = () => withReceivers().call(bot, 'joinVoice', VOICE, { status: 200, body: {} })
    expect(inside().event('stream', 'voice.member_joined', joined, 1).findings(checkArrivals)).toEqual([
      'stream got an event that is not for it',
    ])
    const shown = inside()
      .call(ada, 'updateRoom', { ...VOICE, private: true }, { status: 200, body: {} })
      .call(ada, 'updateRoom', { ...VOICE, private: false }, { status: 200, body: {} })
    expect(shown.event('stream', 'voice.member_joined', joined, 1).findings(checkArrivals)).toEqual([])
  })

  const withPressed = (history = withReceivers()): WrittenHistory => {
    return history
      .add({ kind: 'receiver', receiver: 'buttons', actor: bot, transport: 'stream', kinds: WITH_PRESSES })
      .add({ kind: 'subscribed', receiver: 'buttons' })
      .call(ben, 'press', { ...OF_MESSAGE, botId: bot.id, componentId: 'go' }, { status: 201, body: { id: 'p' } })
  }
  const pressed = { roomId: ROOM, messageId: '1', componentId: 'go', pressId: 'p', user: { id: ben.id } }

  test('expects a press at the bot that wrote the message, if it asks', () => {
    expect(withPressed().quiet().findings(checkDelivery)).toEqual(['buttons missed component.pressed'])
    const complete = withPressed().event('buttons', 'component.pressed', pressed, 1)
    expect(complete.quiet().findings(checkDelivery)).toEqual([])
    expect(complete.findings(checkArrivals)).toEqual([])
  })

  test('finds a press at a bot that did not ask, at another bot, at a portal, and one that nobody made', () => {
    const history = withPressed()
      .add({ kind: 'receiver', receiver: 'other', actor: other, transport: 'stream', kinds: WITH_PRESSES })
      .event('stream', 'component.pressed', pressed, 1)
      .event('other', 'component.pressed', pressed, 1)
      .event('portal', 'component.pressed', pressed, 1)
      .event('buttons', 'component.pressed', { ...pressed, pressId: 'q' }, 2)
    expect(history.findings(checkArrivals)).toEqual([
      'stream got component.pressed, which it didn’t ask for',
      'stream got an event that is not for it',
      'other got an event that is not for it',
      'portal got an event that is not for it',
      'buttons got component.pressed, which nobody caused',
    ])
  })

  test('accepts a press whose request got no answer', () => {
    const history = withPressed().call(ben, 'press', { ...OF_MESSAGE, botId: bot.id, componentId: 'stay' })
    const unanswered = { ...pressed, componentId: 'stay', pressId: 'r' }
    expect(history.event('buttons', 'component.pressed', unanswered, 2).findings(checkArrivals)).toEqual([])
  })

  test('finds a notice that is shown to someone else, or that no bot has sent', () => {
    const notice = { ...IN_ROOM, noticeId: 'n', userId: ada.id, text: TEXT }
    const shown = (id: string) => ({ roomId: ROOM, notice: { id, text: TEXT } })
    const history = withReceivers()
      .add({ kind: 'receiver', receiver: 'ben', actor: ben, transport: 'portal' })
      .call(bot, 'showNotice', notice, { status: 201, body: { id: 'n' } })
      .event('portal', 'notice.shown', shown('n'))
      .event('ben', 'notice.shown', shown('n'))
      .event('portal', 'notice.shown', shown('m'))
    expect(history.findings(checkArrivals)).toEqual([
      'ben got an event that is not for it',
      'portal got notice.shown, which nobody caused',
    ])
  })
})

describe('checkQuiet', () => {
  test('finds what happens though nobody acts', () => {
    expect(withReceivers().quiet().findings(checkQuiet)).toEqual([])
    const history = withReceivers().quiet().at(60_000).event('portal', 'message.created', created('1'), 1)
    expect(history.findings(checkQuiet)).toEqual(['portal got message.created after everything was quiet'])
  })
})
