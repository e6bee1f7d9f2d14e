import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { newAdministrator } from '../../test/new-person.ts'
import { startPortico } from '../../test/portico-process.ts'
import { RawSocket, socketUrl } from '../../test/raw-socket.ts'
import { redisProgram } from '../../test/redis.ts'
import { startCluster } from '../../test/start-cluster.ts'
import { CLOSES } from '../events/stream-codes.ts'

const SOCKETS = 20

describe.skipIf(redisProgram === undefined)('a node that is stopped', { timeout: 300_000 }, () => {
  test('closes its sockets one by one for DRAIN_SECONDS, answers meanwhile, and accepts no more of them', async () => {
    const { nodes, settings } = await startCluster(2)
    const [server] = nodes
    const { bots, people, room } = await channelFixture({
      bots: 1,
      people: 1,
      portal: { server, administrator: await newAdministrator(server) },
    })
    const node = await startPortico({ ...settings, DRAIN_SECONDS: '30', RATE_LIMIT_FACTOR: '1000' })
    const [person] = people
    const open = async (): Promise<RawSocket> => {
      const socket = await RawSocket.open(node, { cookie: person.cookie, origin: node.url })
      await socket.ask({ id: 1, connect: {} })
      return socket
    }
    const sockets = await Promise.all(Array.from({ length: SOCKETS }, open))
    const codes: number[] = []
    for (const socket of sockets) void socket.closed.then(({ code }) => codes.push(code))
    node.kill('SIGTERM')
    await eventually(() => codes.length).toBeGreaterThan(SOCKETS / 4)
    // Most of the time is left, and so are most of them.
    expect(codes.length).toBeLessThan((SOCKETS * 3) / 4)
    const ready = await fetch(`${node.url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'closing' }])
    expect(await once(new WebSocket(socketUrl(node)), 'error')).toEqual([new Error('Unexpected server response: 504')])
    const path = `/rooms/${room.id}/messages?channelId=${room.channelId}`
    const headers = { authorization: `Bot ${bots[0].key}` }
    expect((await fetch(`${node.url}/api/v1${path}`, { headers })).status).toBe(200)
    expect(await node.ended).toMatchObject({ code: 0 })
    await Promise.all(sockets.map(({ closed }) => closed))
    expect(new Set(codes)).toEqual(new Set([CLOSES.shutdown.code]))
    expectOk(await bots[0].get(path))
  })
})
