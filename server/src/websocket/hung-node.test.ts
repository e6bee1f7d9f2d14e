import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { newAdministrator } from '../../test/new-person.ts'
import { startPortico } from '../../test/portico-process.ts'
import { redisProgram } from '../../test/redis.ts'
import { startCluster } from '../../test/start-cluster.ts'
import { Stream } from '../../test/stream.ts'
import { startBalancer } from '../../test/tcp-balancer.ts'

/** docs/scaling.md, “What a failure does”. In milliseconds. */
const NOTICED_WITHIN = 25_000
const TICK = 50

describe.skipIf(redisProgram === undefined)('an event stream', { timeout: 300_000 }, () => {
  test('notices with the settings of the official client that its node hangs, and goes on from another one', async () => {
    const { nodes, settings } = await startCluster(2)
    const [server] = nodes
    const { owner, room, bots } = await channelFixture({
      bots: 1,
      portal: { server, administrator: await newAdministrator(server) },
    })
    const doomed = await startPortico(settings)
    let there = [doomed.url]
    const stream = await Stream.of(await startBalancer(() => there), bots[0])
    there = [nodes[1].url]
    const say = async (text: string): Promise<unknown> =>
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    await say('before')
    await stream.first(1)

    const noticed = new Promise<{ code: number }>((resolve) => stream.client.on('connecting', resolve))
    doomed.kill('SIGSTOP')
    onTestFinished(() => void doomed.kill('SIGCONT'))
    const over = new AbortController()
    const [{ code }, waited] = await Promise.all([noticed.finally(() => over.abort()), ownTime(over.signal)])
    // The code of the client for a missing ping.
    expect(code).toBe(2)
    expect(waited).toBeLessThanOrEqual(NOTICED_WITHIN)
    await say('meanwhile')
    const received = await stream.first(2)
    expect(received.map(({ data }) => (data['message'] as { text: string }).text)).toEqual(['before', 'meanwhile'])
  })
})

/** How long, in milliseconds, this process has waited, without the time in which it could do nothing. */
async function ownTime(signal: AbortSignal): Promise<number> {
  let ticks = 0
  for (; !signal.aborted; ticks += 1) await sleep(TICK)
  return ticks * TICK
}
