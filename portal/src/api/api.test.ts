import { describe, expect, test, vi } from 'vitest'
import { api, onRepeatedRequest, Refused, Unreachable } from './api.ts'

function answerWith(response: Response | TypeError) {
  const fetched = vi.fn(async (_url: string, _init: RequestInit) => {
    if (response instanceof TypeError) throw response
    return response
  })
  vi.stubGlobal('fetch', fetched)
  return fetched
}

describe('api', () => {
  test('fills in path parameters and sends the rest as JSON', async () => {
    const fetched = answerWith(Response.json({ id: 'm' }))

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

  test('sends the input of a GET in the query', async () => {
    const fetched = answerWith(Response.json({ members: [] }))

    await api.findMembers({ channelId: 'c', text: 'a b', limit: 20 })

    expect(fetched.mock.calls[0]?.[0]).toBe('/portal/v1/channels/c/members/search?text=a+b&limit=20')
  })

  test('throws Refused with the error body', async () => {
    const body = { status: 'error', error: 'Forbidden', message: 'No.', reason: 'muted' }
    answerWith(Response.json(body, { status: 403 }))

    const refused = await api.leaveVoice({ roomId: 'r' }).catch((error: unknown) => error)

    expect(refused).toBeInstanceOf(Refused)
    expect(refused).toMatchObject({ httpStatus: 403, body })
  })

  test.each([
    ['the network is down', new TypeError('fetch failed')],
    ['a proxy answers with a page', new Response('<html>', { status: 502 })],
  ])('throws Unreachable when %s', async (_, response) => {
    answerWith(response)

    await expect(api.leaveVoice({ roomId: 'r' })).rejects.toBeInstanceOf(Unreachable)
  })

  test('throws Unreachable when nothing is answered for too long', async () => {
    vi.stubGlobal('fetch', (_: string, { signal }: { signal: AbortSignal }) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
      })
    })

    await expect(api.getSession({}, { timeoutMs: 1 })).rejects.toBeInstanceOf(Unreachable)
  })

  test('throws Unreachable when the connection is lost during the answer', async () => {
    const body = new ReadableStream({ start: (answer) => answer.error(new TypeError('network error')) })
    answerWith(new Response(body))

    await expect(api.getSession({})).rejects.toBeInstanceOf(Unreachable)
  })

  test('refuses what a page requests over and over, and nothing else', async () => {
    const reported = vi.fn<(error: Error) => void>()
    onRepeatedRequest(reported)
    const fetched = answerWith(Response.json({}))
    fetched.mockImplementation(async () => Response.json({ rooms: [] }))

    const requests = await Promise.allSettled(Array.from({ length: 200 }, () => api.listRooms({ channelId: 'loop' })))
    await api.listRooms({ channelId: 'another' })

    expect(requests.filter(({ status }) => status === 'fulfilled')).toHaveLength(30)
    expect(requests.at(-1)).toMatchObject({ reason: { httpStatus: 429, body: { retryAfterSec: 5 } } })
    expect(reported).toHaveBeenCalledWith(expect.objectContaining({ name: 'RepeatedRequest' }))
  })
})
