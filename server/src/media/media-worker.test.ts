import type { VoiceSession } from '@portico/contract'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { SignalClient } from '../../../media/test/signal-client.ts'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { MEDIA_ON } from '../../test/start-server.ts'

const workers: Worker[] = []
const collect = (worker: Worker): void => void workers.push(worker)
process.on('worker', collect)
const { server } = await portal(MEDIA_ON)
const media = server.services.embeddedMedia!

async function metric(name: string): Promise<string | undefined> {
  return new RegExp(`^${name} (.*)$`, 'm').exec(await server.services.metrics.text())?.[1]
}

describe('the media worker', () => {
  test('is started for the first client, and everything else works without it', async () => {
    onTestFinished(() => void process.off('worker', collect))
    expect(workers).toEqual([])
    expect(await media.status()).toEqual({ state: 'ready', announced: ['127.0.0.1'] })
    expect([await metric('portico_media_up'), await metric('portico_media_participants')]).toEqual(['1', '0'])
    expect(await media.connections()).toEqual([])
    const update = { roomId: 'room', identity: 'ada', sid: 'gone', iceSession: '*', credentials: null }
    expect(await media.updateIce(update)).toBe('unknown')
    const { port } = media.place
    const other = createSocket('udp4').bind(port, '127.0.0.1')
    onTestFinished(() => void other.close())
    await expect(once(other, 'listening')).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(workers).toEqual([])

    const { people, room } = await channelFixture({ people: 1, room: 'voice' })
    const [ada] = people
    const session = await ada.post<VoiceSession>(`/rooms/${room.id}/voice`, { channelId: room.channelId })
    const address = `${server.url.replace('http', 'ws')}/rtc?access_token=${expectOk(session).token}`
    const socket = new WebSocket(address)
    onTestFinished(() => socket.terminate())
    const client = new SignalClient((bytes) => socket.send(bytes))
    socket.on('message', (bytes: Buffer) => client.deliver(bytes))
    expect((await client.next('join')).participant?.identity).toBe(ada.id)
    expect(workers).toHaveLength(1)
    expect(media.place.port).toBe(port)
    // One reading serves all scrapes of a moment.
    await vi.waitFor(async () => expect(await metric('portico_media_participants')).toBe('1'))
  })
})
