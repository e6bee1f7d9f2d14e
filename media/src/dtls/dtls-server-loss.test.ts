import { afterEach, describe, expect, it, vi } from 'vitest'
import { connectInMemory } from '../../test/dtls-pair.ts'

describe('over a bad network, a DTLS server', () => {
  afterEach(() => void vi.useRealTimers())

  it('puts together fragments in any order', () => {
    const { server } = connectInMemory({ fragmentSize: 20, alterFlight: (contents) => contents.toReversed() })
    expect(server.session).toBeDefined()
  })

  it('puts together fragments that overlap and repeat', () => {
    const { server } = connectInMemory({ fragmentSize: 33, alterFlight: (contents) => [...contents, ...contents] })
    expect(server.session).toBeDefined()
  })

  it('waits for the keys when Finished arrives first', () => {
    const { server } = connectInMemory({
      alterFlight: (contents) => [
        ...contents.filter(({ epoch }) => epoch === 1),
        ...contents.filter(({ epoch }) => epoch === 0),
      ],
    })
    expect(server.session).toBeDefined()
  })

  it('sends its flight again when the client repeats ClientHello', () => {
    vi.useFakeTimers()
    const { client, server } = connectInMemory(
      { retransmitAfterMs: 50 },
      { lose: ({ index, from }) => from === 'server' && index === 0 },
    )
    expect(client.session).toBeUndefined()
    vi.advanceTimersByTime(60)
    expect(client.session).toBeDefined()
    expect(server.sent.length).toBeGreaterThan(2)
  })

  it('sends its flight again by itself', () => {
    vi.useFakeTimers()
    const { client } = connectInMemory(
      { retransmitAfterMs: 60_000 },
      { lose: ({ index, from }) => from === 'server' && index < 2 },
    )
    vi.advanceTimersByTime(190)
    expect(client.session).toBeUndefined()
    vi.advanceTimersByTime(500)
    expect(client.session).toBeDefined()
  })

  it('sends Finished again when the client repeats its own', () => {
    vi.useFakeTimers()
    const { client, server } = connectInMemory(
      { retransmitAfterMs: 50 },
      { lose: ({ index, from }) => from === 'server' && index === 1 },
    )
    expect(server.session).toBeDefined()
    expect(client.session).toBeUndefined()
    vi.advanceTimersByTime(60)
    expect(client.session).toBeDefined()
  })

  it.each([0.1, 0.3, 0.5])('connects with a loss of %f', (loss) => {
    vi.useFakeTimers()
    for (let run = 0; run < 20; run += 1) {
      const { client, server } = connectInMemory({ fragmentSize: 100 }, { lose: () => Math.random() < loss })
      vi.advanceTimersByTime(30_000)
      expect(client.session).toBeDefined()
      expect(server.session?.srtp).toEqual(client.session?.srtp)
    }
  })

  it('answers a flood of repeated ClientHellos once', () => {
    vi.useFakeTimers()
    const { client, server } = connectInMemory({}, { lose: ({ from }) => from === 'server' })
    for (let index = 0; index < 100; index += 1) client.dtls.repeat()
    expect(server.sent).toHaveLength(1)
  })

  it('stops to repeat itself once closed', () => {
    vi.useFakeTimers()
    const { server } = connectInMemory({ retransmitAfterMs: 60_000 }, { lose: ({ from }) => from === 'server' })
    server.dtls.close()
    const sent = server.sent.length
    vi.advanceTimersByTime(20_000)
    expect(server.sent).toHaveLength(sent)
  })
})
