import { afterEach, describe, expect, test, vi } from 'vitest'
import { api } from '#api.ts'
import { withRoutes } from './operation-routes.ts'

describe('operation routes', () => {
  afterEach(() => vi.unstubAllGlobals())

  test('replace the name of an operation by its method and path', () => {
    expect(withRoutes('await api.sendMessage({ roomId, text })')).toBe(
      `await api['POST /rooms/:roomId/messages']({ roomId, text })`,
    )
  })

  test('fail the build where the contract has no such operation', () => {
    expect(() => withRoutes('api.sendPigeon({})')).toThrow('no operation sendPigeon')
  })

  test('reach the server with path parameters filled in and the rest as JSON', async () => {
    const fetched = vi.fn(async () => Response.json({ id: 'm' }))
    vi.stubGlobal('fetch', fetched)

    await api.sendMessage({ channelId: 'c', roomId: 'r/1', text: 'Hello' }, { idempotencyKey: 'k' })

    expect(fetched).toHaveBeenCalledWith(
      '/portal/v1/rooms/r%2F1/messages',
      expect.objectContaining({
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
        body: JSON.stringify({ channelId: 'c', text: 'Hello' }),
      }),
    )
  })
})
