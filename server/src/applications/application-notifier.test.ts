import {
  applicationChanged,
  applicationDeleted,
  memberJoined,
  type Application,
  type ApplicationSubject,
  type StreamState,
} from '@portico/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { webhookFixture } from '../../test/webhook-fixture.ts'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { Stream } from '../../test/stream.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'
import { PROCESSES_LOCK } from '../events/bus.ts'

const settings = {
  WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
  WEBHOOK_RETRY_PAUSES: '600',
}
const { server } = await portal(settings)

/** Reads like an open page, only when notified of the subject, until it finds the expected value. */
async function seen<T>(
  open: OpenPortal,
  { id }: { readonly id: string },
  subject: ApplicationSubject,
  look: () => Promise<T>,
  wanted: object,
): Promise<void> {
  for (;;) {
    const { channelId, data } = await open.next(applicationChanged)
    expect([channelId, data.applicationId]).toEqual([null, id])
    if (!data.subjects.includes(subject)) continue
    try {
      return expect(await look()).toMatchObject(wanted)
    } catch {
      // Not yet: a notification will follow.
    }
  }
}

describe('an owner’s open portal', () => {
  test('is notified of a delivery from planning to end, of a webhook that is turned off and of its backlog', async () => {
    const { owner, bot, receiver, say, webhook, deliveries, details, application } = await webhookFixture()
    const open = await OpenPortal.of(server, owner)
    const see = <T>(look: () => Promise<T>, wanted: object): Promise<void> =>
      seen(open, bot.application, 'webhook', look, wanted)

    receiver.replies = [500]
    await say('hello')
    await see(deliveries, [{ state: 'pending', attempts: 1, lastStatus: 500 }])
    const [first] = await deliveries()
    receiver.replies = [204]
    expectOk(await owner.post(`${application}/deliveries/${first?.id}/redeliver`))
    await see(() => details(first?.id ?? ''), { delivery: { state: 'delivered' }, attempts: [{}, {}] })

    receiver.replies = [410]
    await say('go away')
    await see(webhook, { active: false, held: 1 })
    await say('missed')
    await see(webhook, { held: 2 })
    receiver.replies = [204]
    expectOk(await owner.put(`${application}/webhook`, { url: receiver.url }))
    await see(webhook, { active: true, held: 2 })
    expectOk(await owner.post(`${application}/webhook/replay`))
    await see(webhook, { pending: 0, held: 0 })
    expectOk(await owner.delete(`${application}/webhook`))
    await see(async () => ({ webhook: await webhook() }), { webhook: null })
  })

  test('is notified when the stream connects, is replaced and disconnects, and of its backlog then', async () => {
    const { owner, bots, room } = await channelFixture({ bots: 1 })
    const [{ application }] = bots
    const open = await OpenPortal.of(server, owner)
    const look = async (): Promise<StreamState> => expectOk(await owner.get(`/applications/${application.id}/stream`))
    const see = (wanted: object): Promise<void> => seen(open, application, 'stream', look, wanted)

    const first = await Stream.of(server, bots[0])
    await see({ state: 'live', displaced: null })
    const second = await Stream.of(server, bots[0])
    await see({ state: 'live', displaced: { by: { address: '127.0.0.1' } } })
    await first.disconnected
    second.client.disconnect()
    await see({ state: 'gone', backlog: 0 })
    for (const text of ['one', 'two']) {
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    }
    await see({ state: 'gone', backlog: 2 })
  })

  test('is notified of the quota usage of its application', async () => {
    const { owner, bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const open = await OpenPortal.of(server, owner)
    const look = async () => expectOk(await owner.get(`/applications/${bot.application.id}/usage`))
    for (let n = 0; n < 5; n += 1) expectOk(await bot.get('/me'))
    await seen(open, bot.application, 'usage', look, { requests: { used: 5 } })
  })

  test('is notified when its key, commands, limits or channels change, and when it is deleted', async () => {
    const { owner, bots, at, channel, give } = await channelFixture({ bots: 1 })
    const { administrator } = await portal()
    const [bot] = bots
    const { id } = bot.application
    const open = await OpenPortal.of(server, owner)
    const look = async (): Promise<Application> => expectOk(await owner.get(`/applications/${id}`))
    const see = (wanted: object): Promise<void> => seen(open, bot.application, 'application', look, wanted)

    expectOk(await bot.put('/commands', { commands: [{ name: '/tea', description: 'Makes tea' }] }))
    await see({ commands: [{ name: '/tea' }] })
    await give(bot, 'CHANNEL_ADMIN')
    await see({ channels: [{ id: channel.id, role: { systemName: 'CHANNEL_ADMIN' } }] })
    expectOk(await owner.patch(at, { name: 'Studios' }))
    await see({ channels: [{ name: 'Studios' }] })
    expectOk(await owner.delete(`${at}/applications/${id}`))
    await see({ channels: [] })
    expectOk(await owner.put(`${at}/applications/${id}`, {}))
    await see({ channels: [{ id: channel.id }] })
    expectOk(await owner.delete(at, { name: 'Studios' }))
    await see({ channels: [] })
    expectOk(await administrator.put(`/applications/${id}/limits`, { requests: 7, writes: 3 }))
    await see({ limits: { requests: 7, writes: 3 } })
    await bot.reissue(['commands'])
    await see({ key: { scopes: ['commands'] } })
    expectOk(await owner.patch(`/applications/${id}`, { name: 'Kettle' }))
    await see({ name: 'Kettle' })
    expectOk(await owner.delete(`/applications/${id}`, { name: 'Kettle' }))
    expect(await open.next(applicationDeleted)).toMatchObject({ channelId: null, data: { applicationId: id } })
  })

  test('receives nothing about other people’s applications in the same channel', async () => {
    const { people, owner, bots, at, newPerson } = await channelFixture({ bots: 1, people: 1 })
    const [ada] = people
    const others = await OpenPortal.of(server, ada)
    const own = await OpenPortal.of(server, owner)
    expectOk(await bots[0].get('/me'))
    await own.next(applicationChanged)
    // Events are ordered: when this one arrives, nothing earlier is missing.
    expectOk(await (await newPerson()).post(`${at}/join`))
    await others.next(memberJoined)
    expect(others.kinds).not.toContain(applicationChanged.event)
    const stored = await queryDatabaseOf(server, `SELECT seq FROM events WHERE event = '${applicationChanged.event}'`)
    expect(stored).toEqual([])
  })

  test('is notified of everything when notifications between processes were lost', async () => {
    const { owner, bots } = await channelFixture({ bots: 1 })
    const open = await OpenPortal.of(server, owner)
    const cut = await sql`SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND classid = ${PROCESSES_LOCK}::oid
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.execute(
      server.services.database.kysely,
    )
    expect(cut.rows).not.toEqual([])
    const all = ['application', 'webhook', 'stream', 'usage']
    await seen(
      open,
      bots[0].application,
      'usage',
      async () => open.eventsOf(applicationChanged).at(-1)?.data.subjects,
      all,
    )
  })
})
