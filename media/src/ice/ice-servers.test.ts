import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { iceServers } from './ice-servers.ts'

describe('iceServers', () => {
  test('names TURN servers with credentials that expire, as coturn verifies them', () => {
    const [server] = iceServers({ urls: ['turn:turn.example'], secret: 'a shared secret' }, 1_000_000)
    expect(server).toMatchObject({ urls: ['turn:turn.example'], username: `${1000 + 12 * 3600}:portico` })
    const expected = createHmac('sha1', 'a shared secret')
      .update(server?.username ?? '')
      .digest('base64')
    expect(server?.credential).toBe(expected)
  })

  test('names none where none is set', () => {
    expect(iceServers({ urls: [], secret: '' })).toEqual([])
  })
})
