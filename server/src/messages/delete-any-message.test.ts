import type { AuditEntry, Message } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import type { Person } from '../../test/person.ts'
import { Stream } from '../../test/stream.ts'
import { newId } from '../operations/ids.ts'

type World = Pick<Awaited<ReturnType<typeof channelFixture>>, 'at' | 'room' | 'channel'>

const gone = { reason: 'no_such_message', message: 'There’s no such message in this channel.' } as const

async function say({ room, channel }: World, author: Person | Bot, text: string, roomId = room.id): Promise<string> {
  return expectOk(await author.post<Message>(`/rooms/${roomId}/messages`, { channelId: channel.id, text })).id
}

function remove({ at }: World, bot: Bot, messageId: string, reason?: string) {
  return bot.delete(`${at}/messages/${messageId}`, reason === undefined ? undefined : { reason })
}

describe('deleteAnyMessage', () => {
  test('removes the message everywhere, and the audit log says which bot did it and why', async () => {
    const world = await channelFixture({ people: 1, bots: 2 })
    const { server, people, owner, at, room, channel, bots, give } = world
    const [ada] = people
    const [moderator, witness] = bots
    await give(moderator, 'CHANNEL_MODERATOR')
    const stream = await Stream.of(server, witness)
    const id = await say(world, ada, 'Cheap watches')
    await stream.until(() => stream.received.length === 1)

    expect(await remove(world, moderator, id, 'Advertising')).toMatchObject({ status: 204, body: undefined })

    const page = await ada.get(`/rooms/${room.id}/messages?channelId=${channel.id}`)
    expect(expectOk(page)).toMatchObject({ messages: [] })
    await stream.until(() => stream.received.length === 2)
    expect(stream.received[1]?.envelope).toMatchObject({
      event: 'message.deleted',
      data: { roomId: room.id, message: { id, author: { id: ada.id } } },
    })
    const { rows } = await server.services.database.pool.query('SELECT body FROM events WHERE channel_id = $1', [
      channel.id,
    ])
    expect(JSON.stringify(rows)).not.toContain('Cheap watches')
    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    expect(entries[0]).toMatchObject({
      action: 'message.deleted',
      actor: { id: moderator.id },
      targetId: ada.id,
      reason: 'Advertising',
      details: { messageId: id, roomId: room.id },
    })
    expectRefusal(await remove(world, moderator, id), 'unprocessable', gone)
  })

  test('deletes the files of the message', async () => {
    const world = await channelFixture({ people: 1, bots: 1 })
    const { people, bots, room, give } = world
    const [ada] = people
    await give(bots[0], 'CHANNEL_MODERATOR')
    const upload = await ada.request('POST', `/rooms/${room.id}/files?name=a.txt`, new TextEncoder().encode('secret'))
    const { url } = expectOk(upload) as { url: string }
    const id = await say(world, ada, `[a.txt](${url})`)
    const file = () => fetch(world.server.url + url, { headers: { cookie: ada.cookie } })
    expect((await file()).status).toBe(200)
    expect((await remove(world, bots[0], id)).status).toBe(204)
    expect((await file()).status).toBe(404)
    // Otherwise the file would stay stored, although nobody can see it.
    const left = 'SELECT FROM message_files WHERE message_id = $1'
    expect((await world.server.services.database.pool.query(left, [id])).rowCount).toBe(0)
  })

  test('acts only on those who rank below the bot, or have left', async () => {
    const world = await channelFixture({ people: 2, bots: 2 })
    const { people, owner, bots, at, give } = world
    const [ada, ben] = people
    const [moderator, other] = bots
    await give(moderator, 'CHANNEL_MODERATOR')
    await give(ben, 'CHANNEL_MODERATOR')
    const outranked = { reason: 'outranked', message: 'This member’s highest role isn’t below yours.' } as const
    for (const author of [owner, ben, moderator]) {
      expectRefusal(await remove(world, moderator, await say(world, author, 'Hello')), 'forbidden', outranked)
    }
    expect((await remove(world, moderator, await say(world, other, 'Hello'))).status).toBe(204)

    const left = await say(world, ada, 'Goodbye')
    expectOk(await ada.delete(`${at}/membership`))
    expect((await remove(world, moderator, left)).status).toBe(204)
  })

  test('does not tell whether a message that the bot can’t see exists', async () => {
    const world = await channelFixture({ people: 1, bots: 1 })
    const { people, owner, bots, newRoom, give } = world
    const [ada] = people
    await give(bots[0], 'CHANNEL_MODERATOR')
    const elsewhere = await channelFixture({ people: 1 })
    const hidden = await newRoom('text', { private: true })
    const among = await newRoom('stream')
    const unseen = [
      newId(),
      await say(elsewhere, elsewhere.people[0], 'Elsewhere'),
      await say(world, owner, 'In private', hidden.id),
      await say(world, ada, 'Among people', among.id),
    ]
    for (const id of unseen) expectRefusal(await remove(world, bots[0], id), 'unprocessable', gone)
    const { allow } = world
    await allow(bots[0])
    for (const id of unseen) {
      expect(await remove(world, bots[0], id)).toMatchObject({
        status: 403,
        body: { requiredRight: 'delete_text_msg_any' },
      })
    }
  })

  test('needs the right in the room of the message', async () => {
    const world = await channelFixture({ people: 1, bots: 1 })
    const { people, owner, bots, at, room, give, role } = world
    const [ada] = people
    await give(bots[0], 'CHANNEL_MODERATOR')
    const { id: roleId } = await role('CHANNEL_MODERATOR')
    const override = async (allow: string[], deny: string[]) =>
      expectOk(await owner.put(`${at}/rooms/${room.id}/overrides/${roleId}`, { allow, deny }))
    const id = await say(world, ada, 'Hello')
    await override([], ['delete_text_msg_any'])
    const required = { requiredRight: 'delete_text_msg_any' }
    expect(await remove(world, bots[0], id)).toMatchObject({ status: 403, body: required })
    const { application } = bots[0]
    const explain = `/applications/${application.id}/access/deleteAnyMessage?channelId=${world.channel.id}`
    expect(expectOk(await owner.get(`${explain}&roomId=${room.id}`))).toMatchObject({
      allowed: false,
      refusal: required,
      checks: expect.arrayContaining([expect.objectContaining({ check: 'override', state: 'forbids' })]),
    })
    expect(expectOk(await owner.get(explain))).toMatchObject({ allowed: true })
    await override([], [])
    expect((await remove(world, bots[0], id)).status).toBe(204)
  })
})
