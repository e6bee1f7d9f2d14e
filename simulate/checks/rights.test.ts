import { describe, expect, test } from 'vitest'
import { ada, ben, bot, CHANNEL, IN_ROOM, refused, sent, withChannel, type WrittenHistory } from './history-fixture.ts'
import { checkRights } from './rights.ts'

const ok = { status: 200, body: {} }
const MISSING = refused(403, 'Forbidden', { requiredRight: 'write_text_room' })

describe('checkRights', () => {
  const send = { ...IN_ROOM, text: 'hello zq000001' }
  const override = (deny: readonly string[], roleId = 'member') => ({ ...IN_ROOM, roleId, allow: [], deny })
  const denied = (roleId?: string): WrittenHistory => {
    return withChannel().call(ada, 'setOverride', override(['write_text_room'], roleId), ok)
  }

  test('accepts what is allowed and refuses what is not', () => {
    expect(withChannel().call(ben, 'send', send, sent('1')).findings(checkRights)).toEqual([])
    expect(denied().call(ben, 'send', send, MISSING).findings(checkRights)).toEqual([])
  })

  test('finds a request without the right, and a refusal with it', () => {
    expect(denied().call(ben, 'send', send, sent('1')).findings(checkRights)).toEqual([
      'Ben (send): 201, without the right write_text_room',
    ])
    expect(withChannel().call(ben, 'send', send, MISSING).findings(checkRights)).toEqual([
      'Ben (send): 403, with the right write_text_room',
    ])
  })

  test('knows that a ban removes the bots of the banned person', () => {
    const gone = refused(403, 'Forbidden', { reason: 'not_a_member' })
    const owned = withChannel()
      .call(ben, 'createApplication', { name: 'Bo' }, { status: 201, body: { id: 'other', bot: { id: 'bo' } } })
      .call(ada, 'install', { channelId: CHANNEL, applicationId: 'other' }, ok)
      .call(ada, 'ban', { channelId: CHANNEL, userId: ben.id }, ok)
    const bo = { ...bot, id: 'bo', name: 'Bo' }
    expect(owned.call(bo, 'send', send, gone).call(bot, 'send', send, gone).findings(checkRights)).toEqual([
      `${bot.name} (send): 403, with the right write_text_room`,
    ])
  })

  test('leaves open what happens while a right is changed', () => {
    const history = withChannel()
      .at(10_000)
      .call(ada, 'setOverride', override(['write_text_room']), { ...ok, took: 500 })
    history.at(10_100).call(ben, 'send', send, sent('1'))
    expect(history.at(10_200).call(ben, 'send', send, MISSING).findings(checkRights)).toEqual([])
  })

  test('leaves open whether a change without an answer was made', () => {
    const history = withChannel()
      .call(ada, 'setOverride', override(['write_text_room']))
      .at(60_000)
    expect(history.call(ben, 'send', send, sent('1')).findings(checkRights)).toEqual([])
    expect(history.call(ben, 'send', send, MISSING).findings(checkRights)).toEqual([])
  })

  test('finds what a muted person does, until the mute may have ended', () => {
    const mute = { channelId: CHANNEL, userId: ben.id, durationSec: 10 }
    const muted = () => withChannel().at(10_000).call(ada, 'muteChat', mute, ok)
    expect(muted().call(ben, 'send', send, sent('1')).findings(checkRights)).toHaveLength(1)
    expect(muted().at(21_000).call(ben, 'send', send, sent('1')).findings(checkRights)).toEqual([])
    expect(muted().at(30_000).call(ben, 'send', send, MISSING).findings(checkRights)).toHaveLength(1)
  })

  test('expects that a bot is refused for what it lacks', () => {
    expect(denied('bot').call(bot, 'send', send, MISSING).findings(checkRights)).toEqual([])
    expect(denied('bot').call(bot, 'send', send, refused(422, 'Unprocessable Entity')).findings(checkRights)).toEqual([
      'Anchor (send): 422 instead of a refusal because of a missing right',
    ])
    const hidden = () => withChannel().call(ada, 'updateRoom', { ...IN_ROOM, private: true }, ok)
    expect(hidden().call(bot, 'send', send, refused(422, 'Unprocessable Entity')).findings(checkRights)).toEqual([])
    expect(hidden().call(bot, 'send', send, MISSING).findings(checkRights)).toEqual([
      'Anchor (send): 403 instead of a refusal because of an unknown room',
    ])
    const removed = () => withChannel().call(ada, 'uninstall', { channelId: CHANNEL, applicationId: 'application' }, ok)
    expect(removed().call(bot, 'send', send, refused(403, 'Forbidden')).findings(checkRights)).toEqual([])
    expect(removed().call(bot, 'send', send, refused(422, 'Unprocessable Entity')).findings(checkRights)).toHaveLength(
      1,
    )
  })

  test('finds a change of the channel by someone who may not make it', () => {
    const history = withChannel().call(
      ben,
      'createRole',
      { channelId: CHANNEL, rights: [] },
      { status: 201, body: { id: 'new' } },
    )
    expect(history.findings(checkRights)).toEqual(['Ben (createRole): 201, without the right manage_roles'])
  })

  test('finds a kick of someone who ranks no lower', () => {
    const roles = { channelId: CHANNEL, userId: ben.id, roleIds: ['moderator'] }
    const history = withChannel().call(ada, 'setMemberRoles', roles, ok)
    expect(
      history.call(ben, 'kick', { channelId: CHANNEL, userId: ada.id }, { status: 204 }).findings(checkRights),
    ).toEqual(['Ben (kick): 204, of someone who ranks no lower'])
  })

  test('finds the deletion of someone else’s message without the right', () => {
    const history = withChannel().call(ada, 'send', send, sent('1'))
    expect(history.call(ben, 'delete', { ...IN_ROOM, messageId: '1' }, { status: 204 }).findings(checkRights)).toEqual([
      'Ben (delete): done, without the right delete_text_msg_any',
    ])
  })

  test('finds a list that contradicts every acknowledged change', () => {
    const list = (...ids: string[]) => ({ status: 200, body: { members: ids.map((id) => ({ id })), hasMore: false } })
    const inChannel = { channelId: CHANNEL }
    const all = withChannel().call(ada, 'listMembers', inChannel, list('ada', 'ben', 'anchor'))
    expect(all.findings(checkRights)).toEqual([])
    expect(withChannel().call(ada, 'listMembers', inChannel, list('ada', 'ben')).findings(checkRights)).toEqual([
      'Ada (listMembers): a list that agrees with no order of the acknowledged changes',
    ])
    // What a lost answer leaves open is decided by the next list.
    const open = withChannel()
      .call(ben, 'leave', inChannel)
      .at(60_000)
      .call(ada, 'listMembers', inChannel, list('ada', 'anchor'))
    expect(open.call(ben, 'send', send, sent('1')).findings(checkRights)).toEqual([
      'Ben (send): 201, without the right write_text_room',
    ])
  })
})
