import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { client, createConnection, createPath, header } from '../../test/connection-without-sockets.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('consent to receive', () => {
  /** A connected peer that names another address as its own, and what is sent there. */
  async function redirect() {
    const connection = createConnection()
    const { transport, shakeHands, check, received } = connection
    transport.expect(client)
    await shakeHands()
    await vi.waitFor(() => expect(transport.state).toBe('connected'))
    received.length = 0
    const requests: Buffer[] = []
    const media: Buffer[] = []
    const elsewhere = createPath((packet) => void (packet[0]! <= 3 ? requests : media).push(packet))
    check(true, elsewhere)
    return { ...connection, elsewhere, requests, media }
  }

  it('is needed before media follows to another address, and media goes on to the former meanwhile', async () => {
    const { transport, elsewhere, requests, media, received, answer } = await redirect()
    transport.sendRtp(header(1), Buffer.from('one'))
    expect([received.length, media.length]).toEqual([1, 0])
    expect(answer(elsewhere, requests[0]!)).toBe(true)
    transport.sendRtp(header(2), Buffer.from('two'))
    expect([received.length, media.length]).toEqual([1, 1])
  })

  it('is not given by an answer from elsewhere, with another password or of another time', async () => {
    const { transport, path, elsewhere, requests, media, answer } = await redirect()
    const [request] = requests
    expect(answer(path, request!)).toBe(false)
    expect(answer(elsewhere, request!, 'x'.repeat(24))).toBe(false)
    const other = Buffer.from(request!)
    other[10]! ^= 1
    expect(answer(elsewhere, other)).toBe(false)
    transport.sendRtp(header(1), Buffer.from('one'))
    expect(media).toEqual([])
  })

  it('is asked for again, and its end after 30 seconds ends the connection', async () => {
    const { peer, transport, check, shakeHands, states, received, withdrawConsent } = createConnection()
    transport.expect(client)
    await shakeHands()
    const pass = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        check()
        await vi.advanceTimersByTimeAsync(1000)
        peer.enforceTimeLimits()
      }
    }
    await pass(100)
    expect(states).toEqual(['connected'])
    withdrawConsent()
    await pass(24)
    received.length = 0
    transport.sendRtp(header(1), Buffer.from('one'))
    expect(received).toHaveLength(1)
    await pass(10)
    expect(states).toEqual(['connected', 'the peer answers no checks'])
    received.length = 0
    transport.sendRtp(header(2), Buffer.from('two'))
    expect(received).toEqual([])
  })
})

describe('the time limits of a transport', () => {
  it('close it when no valid check has come for 30 seconds', () => {
    const { peer, check, states } = createConnection()
    vi.advanceTimersByTime(29_000)
    peer.enforceTimeLimits()
    check()
    vi.advanceTimersByTime(29_000)
    peer.enforceTimeLimits()
    expect(states).toEqual([])
    vi.advanceTimersByTime(2000)
    peer.enforceTimeLimits()
    expect(states).toEqual(['the peer is silent'])
  })

  it('close it when the handshake takes more than 30 seconds', () => {
    const { peer, check, states } = createConnection()
    for (let second = 0; second <= 31; second += 1) {
      check()
      vi.advanceTimersByTime(1000)
      peer.enforceTimeLimits()
    }
    expect(states).toEqual(['the peer took too long to connect'])
  })

  it('leave it open as long as its peer checks', async () => {
    const { peer, check, states, transport, shakeHands } = createConnection()
    transport.expect(client)
    await shakeHands()
    for (let second = 0; second < 100; second += 5) {
      check(false)
      await vi.advanceTimersByTimeAsync(5000)
      peer.enforceTimeLimits()
    }
    expect(states).toEqual(['connected'])
  })
})
