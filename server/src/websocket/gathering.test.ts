import type { Duplex } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { manyEvents } from '../../test/many-events.ts'
import { Stream } from '../../test/stream.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

const { server } = await portal()

/** Records the writes to each socket that connects from now on. */
function watchWrites(): () => string[][] {
  const writes: (() => string[])[] = []
  const note = (_: unknown, socket: Duplex): void => {
    const write = vi.spyOn(socket, 'write')
    writes.push(() => write.mock.calls.map(([chunk]) => String(chunk)))
  }
  server.app.server.on('upgrade', note)
  onTestFinished(() => void server.app.server.off('upgrade', note))
  return () => writes.map((list) => list())
}

test('events that were committed together are sent to each bot in one write', async () => {
  const { owner, room, bots } = await channelFixture({ bots: 3 })
  const written = watchWrites()
  const streams = await Promise.all(bots.map((bot) => Stream.of(server, bot)))
  // Everything before this has been delivered.
  expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'now' }))
  await Promise.all(streams.map((stream) => stream.first(1)))

  await manyEvents(server, room, 20)
  await Promise.all(streams.map((stream) => stream.first(21)))
  for (const writes of written()) {
    const ofTheTwenty = writes.filter((write) => write.includes('xxxx'))
    expect(ofTheTwenty).toHaveLength(1)
    expect(ofTheTwenty[0]?.match(/x{4200}/g)).toHaveLength(20)
  }
  expect(written()).toHaveLength(3)
})
