import { noticeShown, type Card, type Component, type Notice, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import type { Person } from '../../test/person.ts'
import { Stream } from '../../test/stream.ts'
import { newId } from '../operations/ids.ts'

interface Place {
  readonly id: string
  readonly channelId: string
}

function show(bot: Bot, { id, channelId }: Place, userId: string, more: object = {}) {
  const body = { channelId, userId, text: 'Did you mean `api`?', ...more }
  return bot.post<Output<typeof api.showNotice>>(`/rooms/${id}/notices`, body)
}

describe('showNotice', () => {
  test('reaches all open portals of one person, and is stored nowhere', async () => {
    const { server, owner, people, bots, room } = await channelFixture({ people: 1, bots: 2 })
    const [ada] = people
    const [bot] = bots
    const portals = [await OpenPortal.of(server, ada), await OpenPortal.of(server, ada)]
    const other = await OpenPortal.of(server, owner)
    const cards: Card[] = [{ title: 'Services', text: `Ask <@${owner.id}>` }]
    const { id } = expectOk(await show(bot, room, ada.id, { cards }))
    for (const open of portals) {
      expect(await open.next(noticeShown)).toMatchObject({
        channelId: room.channelId,
        data: {
          roomId: room.id,
          notice: {
            id,
            text: 'Did you mean `api`?',
            author: { id: bot.id, name: bot.name, isBot: true },
            mentions: [],
            cards,
            cardMentions: [{ id: owner.id, name: owner.name }],
          },
        },
      })
    }
    // What comes after it has arrived: the notice has not.
    expectOk(await show(bot, room, owner.id, { text: 'Yours' }))
    expect((await other.next(noticeShown)).data.notice.text).toBe('Yours')
    const { rows } = await server.services.database.pool.query(
      `SELECT FROM messages WHERE room_id = $1 UNION ALL SELECT FROM events WHERE room_id = $1`,
      [room.id],
    )
    expect(rows).toEqual([])
  })

  test('is sent under an id of the bot’s choice, in any case', async () => {
    const { server, owner, bots, room } = await channelFixture({ bots: 1 })
    const open = await OpenPortal.of(server, owner)
    const noticeId = newId()
    for (const given of [noticeId, noticeId.toUpperCase()]) {
      expect(expectOk(await show(bots[0], room, owner.id, { noticeId: given }))).toEqual({ id: noticeId })
      expect((await open.next(noticeShown)).data.notice.id).toBe(noticeId)
    }
  })

  test('refuses bots, strangers and those who can’t see or read the room', async () => {
    const { owner, people, bots, room, at, newRoom, newPerson, role } = await channelFixture({ people: 1, bots: 2 })
    const [ada] = people
    const [bot, other] = bots
    const unreadable = {
      reason: 'member_not_admitted',
      message: 'This member is a bot or can’t read the room.',
    } as const
    expectRefusal(await show(bot, room, other.id), 'unprocessable', unreadable)
    expectRefusal(await show(bot, room, (await newPerson()).id), 'unprocessable', { reason: 'not_a_member' })

    const hidden = await newRoom('text', { private: true })
    const admit = (memberIds: string[]) => owner.put(`${at}/rooms/${hidden.id}/admissions`, { roleIds: [], memberIds })
    const secret = { id: hidden.id, channelId: room.channelId }
    expectRefusal(await show(bot, secret, ada.id), 'unprocessable', { reason: 'no_such_room' })
    expectOk(await admit([bot.id]))
    expectRefusal(await show(bot, secret, ada.id), 'unprocessable', unreadable)
    expectOk(await show(bot, secret, owner.id))
    expectOk(await admit([bot.id, ada.id]))
    expectOk(await show(bot, secret, ada.id))

    const { id: roleId } = await role('CHANNEL_MEMBER')
    const override = `${at}/rooms/${room.id}/overrides/${roleId}`
    expectOk(await owner.put(override, { allow: [], deny: ['read_text_room'] }))
    expectRefusal(await show(bot, room, ada.id), 'unprocessable', unreadable)
  })

  test('needs the right to write, which a mute takes away', async () => {
    const { owner, bots, room, at } = await channelFixture({ bots: 1 })
    expectOk(await owner.put(`${at}/members/${bots[0].id}/chat-mute`, {}))
    expect(await show(bots[0], room, owner.id)).toMatchObject({ status: 403, body: { reason: 'muted' } })
  })

  test('uses the write quota, which a refused notice gives back', async () => {
    const { owner, bots, room } = await channelFixture({ bots: 1, quotas: 'usual' })
    for (let shown = 0; shown < 20; shown += 1) {
      if (shown % 5 === 0) expect((await show(bots[0], room, newId())).status).toBe(422)
      expectOk(await show(bots[0], room, owner.id))
    }
    expect((await show(bots[0], room, owner.id)).status).toBe(429)
  })
})

const COMPONENTS: Component[] = [
  { type: 'button', id: 'restart', label: 'Restart `api`' },
  { type: 'select', id: 'which', label: 'Service', options: [{ value: 'api', label: 'api' }] },
]

/** Presses in a notice that its reader's portal got. */
function press(person: Person, { id, channelId }: Place, { id: noticeId, author, ...shown }: Notice, chosen: object) {
  const { components, proof } = shown
  const path = `/rooms/${id}/notices/${noticeId}/presses`
  return person.post<{ id: string }>(path, { channelId, botId: author.id, components, proof, ...chosen })
}

describe('pressInNotice', () => {
  test('sends an event to the application that showed the notice', async () => {
    const { server, people, bots, room } = await channelFixture({ people: 1, bots: 1 })
    const [ada] = people
    const [bot] = bots
    const token = async () => expectOk(await bot.get<{ token: string }>('/events/token?kinds=component.pressed')).token
    const stream = await Stream.with(server, token)
    const open = await OpenPortal.of(server, ada)
    const { id } = expectOk(await show(bot, room, ada.id, { components: COMPONENTS }))
    const { notice } = (await open.next(noticeShown)).data
    expect(notice).toMatchObject({ id, components: COMPONENTS })
    const { id: pressId } = expectOk(await press(ada, room, notice, { componentId: 'restart' }))
    expectOk(await press(ada, room, notice, { componentId: 'which', value: 'api' }))
    const user = { id: ada.id, name: ada.name }
    const events = await stream.first(2)
    expect(events).toMatchObject([
      {
        event: 'component.pressed',
        data: { roomId: room.id, noticeId: id, componentId: 'restart', pressId, user },
      },
      { event: 'component.pressed', data: { noticeId: id, componentId: 'which', value: 'api', user } },
    ])
    expect(events[0]?.data).not.toHaveProperty('messageId')
  })

  test('refuses what the bot has not shown to this person in this room', async () => {
    const { server, owner, people, bots, room, at, newRoom } = await channelFixture({ people: 2, bots: 2 })
    const [ada, ben] = people
    const [bot, other] = bots
    const open = await OpenPortal.of(server, ada)
    const noticeOf = async (components: Component[]) => {
      expectOk(await show(bot, room, ada.id, { components }))
      return (await open.next(noticeShown)).data.notice
    }
    const notice = await noticeOf(COMPONENTS)
    const foreign = await noticeOf([{ type: 'button', id: 'delete', label: 'Delete everything' }])
    const gone = { reason: 'no_such_component' } as const
    const refused = async (person: Person, place: Place, changed: Partial<Notice>, chosen: object) => {
      expectRefusal(await press(person, place, { ...notice, ...changed }, chosen), 'unprocessable', gone)
    }
    const chosen = { componentId: 'restart' }
    await refused(ada, room, {}, { componentId: 'delete' })
    await refused(ada, room, {}, { componentId: 'which', value: 'web' })
    await refused(ada, room, { components: foreign.components ?? [] }, { componentId: 'delete' })
    await refused(ada, room, { id: foreign.id }, chosen)
    await refused(ada, room, { author: { ...notice.author, id: other.id } }, chosen)
    await refused(ben, room, {}, chosen)
    const elsewhere = await newRoom('text')
    await refused(ada, { id: elsewhere.id, channelId: room.channelId }, {}, chosen)
    expect((await press(ada, room, { ...notice, proof: 'none' }, chosen)).status).toBe(400)

    expectOk(await press(ada, room, notice, chosen))
    expectOk(await owner.delete(`${at}/applications/${bot.application.id}`))
    await refused(ada, room, {}, chosen)
  })
})
