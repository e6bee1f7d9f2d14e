import type { StreamState } from '@portico/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { RawSocket } from '../../test/raw-socket.ts'
import { Stream } from '../../test/stream.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

/** A bot, and its stream as its owner sees it. */
async function watched() {
  const made = await channelFixture({ bots: 1 })
  const { owner, bots, room } = made
  const [bot] = bots
  const at = `/applications/${bot.application.id}/stream`
  return {
    ...made,
    bot,
    at,
    stream: async () => expectOk(await owner.get<StreamState>(at)),
    say: async (text: string) =>
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text })),
    token: async () => expectOk(await bot.get<{ token: string }>('/events/token')).token,
  }
}

describe('getApplicationStream', () => {
  test('follows a connection from start to end', async () => {
    const { server, bot, stream, say } = await watched()
    expect(await stream()).toEqual({
      state: 'never',
      peer: null,
      since: null,
      kinds: null,
      backlog: 0,
      displaced: null,
    })

    const connected = await Stream.of(server, bot)
    await eventually(stream).toMatchObject({
      state: 'live',
      peer: { client: expect.stringContaining('js'), address: '127.0.0.1' },
      since: expect.stringMatching(/Z$/),
      backlog: 0,
      displaced: null,
    })
    await say('heard')
    await connected.first(1)

    connected.client.disconnect()
    await eventually(stream).toMatchObject({ state: 'gone', backlog: 0, peer: { address: '127.0.0.1' } })
    await say('missed')
    await say('missed, too')
    await eventually(stream).toMatchObject({ state: 'gone', backlog: 2 })

    connected.client.connect()
    await eventually(stream).toMatchObject({ state: 'live', backlog: 0 })
    await connected.first(3)
  })

  test('distinguishes a connection without a subscription from a live one', async () => {
    const { server, stream, token } = await watched()
    const raw = await RawSocket.open(server)
    await raw.ask({ id: 1, connect: { token: await token(), name: 'mine', version: '1.2' } })
    await eventually(stream).toMatchObject({ state: 'idle', peer: { client: 'mine 1.2' } })
    raw.send({ id: 2, subscribe: { channel: 'events' } })
    await eventually(stream).toMatchObject({ state: 'live' })
    raw.send({ id: 3, unsubscribe: { channel: 'events' } })
    await eventually(stream).toMatchObject({ state: 'idle' })
  })

  test('shows which connection replaced which', async () => {
    const { server, stream, token } = await watched()
    const first = await RawSocket.open(server)
    await first.ask({ id: 1, connect: { token: await token(), name: 'old' } })
    const second = await RawSocket.open(server)
    await second.ask({ id: 1, connect: { token: await token(), name: 'new' } })
    expect(await first.closed).toMatchObject({ code: 3504 })
    await eventually(stream).toMatchObject({
      state: 'idle',
      peer: { client: 'new' },
      displaced: { at: expect.any(String), from: { client: 'old' }, by: { client: 'new' } },
    })
  })

  test('treats a connection of a dead process as offline, not as replaced', async () => {
    const { server, at, owner, bot, stream, token, say } = await watched()
    const raw = await RawSocket.open(server)
    await raw.ask({ id: 1, connect: { token: await token(), name: 'left behind' } })
    raw.send({ id: 2, subscribe: { channel: 'events' } })
    await eventually(stream).toMatchObject({ state: 'live' })

    // The state that a killed process leaves behind: connected, without further heartbeats.
    const { kysely } = server.services.database
    await kysely
      .updateTable('stream_owners')
      .set({
        seen_at: sql`now() - interval '2 minutes'`,
        // Of another process: this one would go on recording it as alive.
        generation: sql`generation + 1`,
      })
      .where('application_id', '=', bot.application.id)
      .execute()
    await say('to nobody')
    await eventually(stream).toMatchObject({ state: 'gone', backlog: 1 })

    const next = await Stream.of(server, bot)
    await eventually(async () => expectOk(await owner.get(at))).toMatchObject({ state: 'live', displaced: null })
    next.client.disconnect()
  })

  test('is for the owner', async () => {
    const { at, newPerson } = await watched()
    expectRefusal(await (await newPerson()).get(at), 'unprocessable', { reason: 'no_such_application' })
  })
})
