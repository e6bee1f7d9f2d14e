import type { Right } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { ALL_SCOPES } from '../../test/bot.ts'
import { eventually } from '../../test/eventually.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { webhookFixture } from '../../test/webhook-fixture.ts'
import { heldReply, textOf } from '../../test/webhook-receiver.ts'
import { expectOk, portal } from '../../test/channel-fixture.ts'

const { administrator, server } = await portal({
  WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
  WEBHOOK_RETRY_PAUSES: '0.2,0.2,0.2',
})

const READ: Right = 'read_text_room'

type Fixture = Awaited<ReturnType<typeof webhookFixture>>

/** A message whose first delivery fails after something else has happened. */
async function failingDelivery(meanwhile: (on: Fixture) => Promise<unknown>): Promise<Fixture> {
  const fixture = await webhookFixture()
  const { receiver, say } = fixture
  const first = heldReply((response) => response.writeHead(500).end())
  receiver.replies = [first.reply, 204]
  await say('for the bot')
  await receiver.first(1)
  await meanwhile(fixture)
  first.open()
  return fixture
}

async function setReading({ owner, at, role, room }: Fixture, deny: Right[]): Promise<void> {
  const { id } = await role('CHANNEL_BOT')
  expectOk(await owner.put(`${at}/rooms/${room.id}/overrides/${id}`, { allow: [], deny }))
}

const REASONS: Record<string, (on: Fixture) => Promise<unknown>> = {
  'the bot may no longer read the room': (on) => setReading(on, [READ]),
  'the room was made private': async ({ owner, at, room }) =>
    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { private: true })),
  'the room was deleted': async ({ owner, at, room }) => expectOk(await owner.delete(`${at}/rooms/${room.id}`)),
  'the bot was removed from the channel': async ({ owner, at, bot }) =>
    expectOk(await owner.delete(`${at}/applications/${bot.application.id}`)),
  'the key lost the scope `events`': ({ bot }) => bot.reissue(ALL_SCOPES.filter((scope) => scope !== 'events')),
}

describe('a retry', () => {
  test.each(Object.keys(REASONS))('is withheld if %s after the first attempt', async (reason) => {
    const { receiver, deliveries, webhook } = await failingDelivery(REASONS[reason]!)
    await eventually(deliveries).toMatchObject([{ state: 'held', attempts: 1, nextAttemptAt: null }])
    expect(await webhook()).toMatchObject({ pending: 0 })
    expect(receiver.received).toHaveLength(1)
  })

  test('is withheld if the owner was disabled after the first attempt, until the owner is enabled again', async () => {
    const setDisabled = async (id: string, disabled: boolean) =>
      expectOk(await administrator.patch(`/administration/people/${id}`, { disabled }))
    const { owner, receiver, deliveries } = await failingDelivery(({ owner: { id } }) => setDisabled(id, true))
    const states = () =>
      queryDatabaseOf(
        server,
        `SELECT d.state, d.attempts FROM deliveries d
        JOIN applications p ON p.id = d.application_id WHERE p.owner_id = '${owner.id}'`,
      )
    await eventually(states).toEqual([{ state: 'held', attempts: 1 }])
    expect(receiver.received).toHaveLength(1)
    await setDisabled(owner.id, false)
    expectOk(await owner.post('/sessions', { name: owner.name, password: owner.password }))
    expect((await receiver.first(2)).map(textOf)).toEqual(['for the bot', 'for the bot'])
    await eventually(deliveries).toMatchObject([{ state: 'delivered', attempts: 2 }])
  })

  test('that was withheld can be replayed when the bot may read the room again', async () => {
    const on = await failingDelivery((fixture) => setReading(fixture, [READ]))
    const { owner, application, receiver, deliveries, webhook } = on
    await eventually(deliveries).toMatchObject([{ state: 'held' }])
    expect(await webhook()).toMatchObject({ held: 0 })
    const [delivery] = await deliveries()
    const again = () => owner.post(`${application}/deliveries/${delivery?.id}/redeliver`)
    expectRefusal(await again(), 'unprocessable', { reason: 'bot_cannot_read' })
    expect(await deliveries()).toMatchObject([{ state: 'held', attempts: 1 }])

    await setReading(on, [])
    expect(await webhook()).toMatchObject({ held: 1 })
    expect(expectOk(await owner.post(`${application}/webhook/replay`))).toEqual({ events: 1 })
    expect((await receiver.first(2)).map(textOf)).toEqual(['for the bot', 'for the bot'])
  })

  test('has the text of the event log, even if it was planned while the message was being deleted', async () => {
    const { receiver, details } = await failingDelivery(async ({ owner, room, channel, deliveries }) => {
      const [delivery] = await deliveries()
      const [planned] = await queryDatabaseOf(server, `SELECT body FROM deliveries WHERE id = '${delivery?.id}'`)
      const { data } = JSON.parse(String(planned?.['body'])) as { data: { message: { id: string } } }
      const message = `/rooms/${room.id}/messages/${data.message.id}`
      expectOk(await owner.delete(message, { channelId: channel.id }))
      // As if the deletion had not seen this delivery yet.
      const text = String(planned?.['body']).replaceAll("'", "''")
      await queryDatabaseOf(server, `UPDATE deliveries SET body = '${text}' WHERE id = '${delivery?.id}'`)
    })
    const [first, ...others] = await receiver.first(3)
    expect(first && textOf(first)).toBe('for the bot')
    expect(others.map(({ id }) => id)).toContain(first?.id)
    for (const { text } of others) expect(text).not.toContain('for the bot')
    expect((await details(String(first?.id))).body).not.toContain('for the bot')
  })
})
