import { describe, expect, test } from 'vitest'
import { FakePlane } from '../../../test/media/fake-plane.ts'
import { recordedSdp } from '../../../test/media/recorded-sdp.ts'
import { Rooms } from './rooms.ts'

const CLIENT = { local: '127.0.0.1', host: 'localhost', remote: '127.0.0.1' }
const OFFER = recordedSdp('obs-whip')

describe('broadcasts of programs', () => {
  test('are limited in number; one that begins again counts once', () => {
    const rooms = new Rooms({ plane: new FakePlane(), onLost: () => undefined, onPublishing: () => undefined })
    const broadcast = (nth: number) => {
      const grant = {
        roomId: `room ${nth}`,
        identity: `person ${nth}`,
        name: '',
        canPublish: true,
        canSubscribe: false,
      }
      return rooms.broadcast({ grant, client: CLIENT, sdp: OFFER })
    }
    for (let nth = 0; nth < 100; nth += 1) expect(broadcast(nth)).toMatchObject({ sid: expect.any(String) })
    expect(broadcast(100)).toBe('full')
    expect(rooms.all).toHaveLength(100)
    expect(broadcast(99)).toMatchObject({ sid: expect.any(String) })
    expect(rooms.endBroadcast({ roomId: 'room 0', identity: 'person 0' })).toBe(true)
    expect(broadcast(100)).toMatchObject({ sid: expect.any(String) })
  })
})
