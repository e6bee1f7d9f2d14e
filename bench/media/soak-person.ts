import type { Room } from '@portico/contract'
import { setTimeout as sleep } from 'node:timers/promises'
import { rtpPacket, vp8Payload } from '../../media/test/rtp-stream.ts'
import type { TestPeer } from '../../media/test/test-peer.ts'
import { joinRoom, type RoomClient } from './room-client.ts'
import type { Person, Town } from './town.ts'

export interface ChannelRooms {
  readonly rooms: readonly Room[]
}

interface Life {
  readonly town: Town
  readonly person: Person
  readonly rooms: readonly string[]
  readonly count: (what: string) => void
  readonly signal: AbortSignal
}

/** Longer than any step should take on a busy machine. */
const STUCK_AFTER = 60_000
const FRAME = 20

/** Joins a room, does something there, and leaves or vanishes, again and again until the signal. */
export async function live(life: Life): Promise<void> {
  const { town, person, rooms, count, signal } = life
  const call = patient(count)
  while (!signal.aborted) {
    await pause(signal)
    const roomId = rooms[Math.floor(Math.random() * rooms.length)] ?? ''
    const client = await unlessStuck(async () => joinRoom(await call(() => town.join(person.portal, roomId))), count)
    if (!client) continue
    count('joined')
    await takePart(life, client)
    await client.leave()
    if (!signal.aborted && Math.random() < 0.3) {
      count('vanished')
      continue
    }
    await call(() => person.portal.call('DELETE', `/rooms/${roomId}/voice`))
    count('left')
  }
}

async function takePart({ town, person, count, signal }: Life, client: RoomClient): Promise<void> {
  const kind = Math.random() < 0.7 ? 'audio' : 'video'
  const ssrc = Math.floor(Math.random() * 2 ** 32)
  const peer = await unlessStuck(() => client.publish(kind, ssrc), count)
  if (!peer) return
  count(`published ${kind}`)
  const timer = send(peer, kind, ssrc)
  try {
    for (let steps = Math.random() * 5; steps > 0 && !signal.aborted; steps -= 1) {
      await pause(signal)
      client.setMuted(true)
      count('muted')
      await pause(signal)
      client.setMuted(false)
      if (Math.random() > 0.2) continue
      const mute = `/channels/${town.channelId}/members/${person.id}/voice-mute`
      const call = patient(count)
      await call(() => town.owner.call('PUT', mute))
      await pause(signal)
      await call(() => town.owner.call('DELETE', mute))
      count('muted by the owner')
      return
    }
  } finally {
    clearInterval(timer)
  }
}

/** Fifty packets a second; every fiftieth packet of a picture begins a keyframe. */
function send(peer: TestPeer, kind: 'audio' | 'video', ssrc: number): NodeJS.Timeout {
  let sequenceNumber = 0
  return setInterval(() => {
    sequenceNumber += 1
    const isKeyframe = sequenceNumber % 50 === 1
    const rest = Buffer.alloc(1000, 1)
    const [payloadType, step, payload] =
      kind === 'audio'
        ? [111, 960, Buffer.alloc(120, 1)]
        : [96, 1800, vp8Payload({ isKeyframe, isStart: true, pictureId: sequenceNumber, tl0: sequenceNumber, rest })]
    const extensions = kind === 'audio' ? { 1: Buffer.from([0x80 | 30]), 4: '1' } : { 4: '1' }
    const timestamp = sequenceNumber * step
    const packet = rtpPacket({
      ssrc,
      payloadType,
      sequenceNumber,
      timestamp,
      isMarked: true,
      extensions,
      payload,
    })
    const headerSize = packet.length - payload.length
    peer.sendRtp(packet.subarray(0, headerSize), packet.subarray(headerSize))
  }, FRAME)
}

/** Tries again what the portal was too busy for, as its answer advises. */
function patient(count: (what: string) => void): <T>(call: () => Promise<T>) => Promise<T> {
  return async (call) => {
    for (;;) {
      try {
        return await call()
      } catch (error) {
        if (!(error instanceof Error && error.message.includes(': 504 '))) throw error
        count('repeated after 504')
      }
    }
  }
}

async function unlessStuck<T>(run: () => Promise<T>, count: (what: string) => void): Promise<T | undefined> {
  const timeout = new AbortController()
  const result = await Promise.race([run(), sleep(STUCK_AFTER, undefined, { signal: timeout.signal })])
  timeout.abort()
  if (result === undefined) count('stuck')
  return result
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(500 + Math.random() * 4500, undefined, { signal }).catch(() => undefined)
}
