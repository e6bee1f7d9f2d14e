import { describe, expect, test } from 'vitest'
import { FakePlane } from '../../test/fake-plane.ts'
import { recordedSdp } from '../../test/recorded-sdp.ts'
import { Rooms } from './rooms.ts'

const CLIENT = { local: '127.0.0.1', host: 'localhost', remote: '127.0.0.1' }
const OFFER = recordedSdp('obs-whip')

/** Rooms, and a program of this person that broadcasts into a room of this channel. */
function broadcasts() {
  const rooms = new Rooms({
    plane: new FakePlane(),
    broadcastLimits: { ofPerson: 4, ofChannel: 20 },
    onMedia: () => undefined,
    onLost: () => undefined,
    onPublishing: () => undefined,
  })
  const broadcast = (person: number, channel: number, room = `room of ${person} in ${channel}`) => {
    const grant = { roomId: room, identity: `person ${person}`, name: '', canPublish: true, canSubscribe: false }
    return rooms.broadcast({ grant, channelId: `channel ${channel}`, client: CLIENT, sdp: OFFER })
  }
  return { rooms, broadcast }
}

const begun = { sid: expect.any(String) }

describe('broadcasts of programs', () => {
  test('are limited in number; one that begins again counts once', () => {
    const { rooms, broadcast } = broadcasts()
    for (let index = 0; index < 100; index += 1) expect(broadcast(index, index)).toMatchObject(begun)
    expect(broadcast(100, 100)).toBe('full')
    expect(rooms.all).toHaveLength(100)
    expect(broadcast(99, 99)).toMatchObject(begun)
    expect(rooms.endBroadcast({ roomId: 'room of 0 in 0', identity: 'person 0' })).toBe(true)
    expect(broadcast(100, 100)).toMatchObject(begun)
  })

  test('are shared among people: a few with many channels leave room for others', () => {
    const { broadcast } = broadcasts()
    for (let person = 0; person < 5; person += 1) {
      for (let index = 0; index < 20; index += 1) {
        const answer = broadcast(person, person * 20 + index)
        if (index < 4) expect(answer).toMatchObject(begun)
        else expect(answer).toBe('personFull')
      }
    }
    expect(broadcast(5, 100)).toMatchObject(begun)
    expect(broadcast(0, 0)).toMatchObject(begun)
  })

  test('are shared among channels: one with many people leaves room for others', () => {
    const { rooms, broadcast } = broadcasts()
    for (let person = 0; person < 20; person += 1) expect(broadcast(person, 0)).toMatchObject(begun)
    expect(broadcast(20, 0)).toBe('channelFull')
    expect(broadcast(20, 1)).toMatchObject(begun)
    expect(rooms.endBroadcast({ roomId: 'room of 3 in 0', identity: 'person 3' })).toBe(true)
    expect(broadcast(21, 0)).toMatchObject(begun)
  })
})
