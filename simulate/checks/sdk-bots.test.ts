import { describe, expect, test } from 'vitest'
import { replyOf } from '../actors/sdk-bot-reply.ts'
import type { Handled } from '../history/history.ts'
import { checkSdkBots } from './sdk-bots.ts'
import { WrittenHistory } from './written-history.ts'

const COMMAND = '/tide north zq000001'
const REPLY = { id: '2', text: replyOf('Bot', '/tide', '1'), authorId: 'bot' }

function started(): WrittenHistory {
  const history = new WrittenHistory()
  return history.add({ kind: 'bot process', actor: history.bot, process: 1, what: 'started' })
}

type Step = Pick<Handled, 'handler' | 'what'> & Partial<Handled>

function handle(history: WrittenHistory, messageId: string, steps: readonly Step[]): WrittenHistory {
  for (const [position, step] of steps.entries()) {
    const event = `log-${messageId}${position}`
    history.add({ kind: 'handled', actor: history.bot, process: 1, event, roomId: 'room', messageId, ...step })
  }
  return history
}

const WELL: readonly Step[] = [
  { handler: 'message.created', what: 'begins' },
  { handler: '/tide', what: 'begins' },
  { handler: '/tide', what: 'replied', reply: '2' },
]

describe('checkSdkBots', () => {
  test('accepts a command that was replied to, and a reply that failed', () => {
    const history = started()
    handle(history.send(history.member, '1', COMMAND), '1', WELL)
    handle(history.send(history.member, '3', '/tide zq000002'), '3', [
      ...WELL.slice(0, 2),
      { handler: '/tide', what: 'failed', error: 'MissingRightError' },
    ])
    expect(history.violationsOf(checkSdkBots, [REPLY])).toEqual([])
  })

  test('finds messages and commands that were not handled', () => {
    const history = started()
    history.send(history.member, '1', 'hello zq000001').send(history.member, '2', COMMAND)
    handle(history, '2', WELL.slice(0, 1))
    expect(history.violationsOf(checkSdkBots)).toEqual(['Bot did not handle a message', 'Bot did not handle /tide'])
  })

  test('accepts that a process which was killed in a handler handles the event again', () => {
    const history = started()
    handle(history.send(history.member, '1', COMMAND), '1', WELL.slice(0, 2))
    history.add({ kind: 'bot process', actor: history.bot, process: 1, what: 'killed' })
    handle(
      history,
      '1',
      WELL.map((step) => ({ ...step, process: 2 })),
    )
    expect(history.violationsOf(checkSdkBots, [REPLY])).toEqual([])
  })

  test('finds a second reply, one that is missing, and a handler that never ends', () => {
    const twice = started()
    handle(twice.send(twice.member, '1', COMMAND), '1', [...WELL, { handler: '/tide', what: 'replied', reply: '3' }])
    expect(twice.violations(checkSdkBots)).toEqual(['Bot replied more than once'])
    expect(twice.violationsOf(checkSdkBots, [REPLY, { ...REPLY, id: '3' }])).toEqual(['Bot replied more than once'])
    const missing = started()
    handle(missing.send(missing.member, '1', COMMAND), '1', WELL)
    expect(missing.violationsOf(checkSdkBots)).toEqual(['a reply of Bot is not in the history'])
    const endless = started()
    handle(endless.send(endless.member, '1', COMMAND), '1', WELL.slice(0, 2))
    expect(endless.violationsOf(checkSdkBots)).toEqual(['Bot never finished a handler'])
  })

  test('accepts that a handler which was interrupted is not run again for what the bot may no longer read', () => {
    const ROOM = { channelId: 'channel', roomId: 'room' }
    const hidden = started()
    handle(hidden.send(hidden.member, '1', COMMAND), '1', WELL.slice(0, 2))
    hidden.call(hidden.owner, 'updateRoom', { ...ROOM, private: true })
    expect(hidden.violationsOf(checkSdkBots)).toEqual([])
    const deleted = started()
    handle(deleted.send(deleted.member, '1', COMMAND), '1', WELL.slice(0, 2))
    deleted.call(deleted.member, 'delete', { ...ROOM, messageId: '1' }, { status: 204 })
    expect(deleted.violationsOf(checkSdkBots)).toEqual([])
  })

  test('finds messages of a room that are handled in another order', () => {
    const history = started()
    history.send(history.member, '1', 'one zq000001').send(history.member, '2', 'two zq000002')
    handle(handle(history, '2', WELL.slice(0, 1)), '1', WELL.slice(0, 1))
    expect(history.violationsOf(checkSdkBots)).toEqual(['Bot handled a message after a later one'])
  })
})
