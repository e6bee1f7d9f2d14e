import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { workerOptions } from '../../test/worker-options.ts'
import { MediaPortError, MediaThread } from './media-thread.ts'

const program = new URL('../../test/stub-worker.ts', import.meta.url)

function mediaThread(port: number | null = 5000) {
  const downs: number[] = []
  const lines: string[] = []
  const line = (_fields: object, text: string): void => void lines.push(text)
  const thread = new MediaThread({
    program,
    worker: workerOptions({ port, addresses: [] }),
    log: { info: line, warn: line, error: line },
    onMessage: () => undefined,
    onDown: () => downs.push(performance.now()),
  })
  onTestFinished(() => thread.stop())
  return { thread, downs, lines }
}

describe('the media worker', () => {
  test('answers questions, and passes log lines on', async () => {
    const { thread, lines } = mediaThread()
    await thread.start()
    expect(thread.place).toMatchObject({ port: 5000, announced: ['192.0.2.1'] })
    expect(await thread.call('remove', { roomId: 'log', identity: 'ada' })).toBe(5000)
    expect(lines).toEqual(['a warning'])
  })

  test.each(['crash', 'exit'])('is started again on its port after a %s', async (way) => {
    const { thread, downs, lines } = mediaThread(null)
    await thread.start()
    expect(await thread.call('connections', null)).toBeNull()
    const waiting = thread.call('remove', { roomId: 'silence', identity: 'ada' })
    const crashed = thread.call('remove', { roomId: way, identity: 'ada' })
    await expect(waiting).rejects.toThrow('ended')
    await expect(crashed).rejects.toThrow('ended')
    expect(thread.isUp).toBe(false)
    expect(downs).toHaveLength(1)
    await expect(thread.call('connections', null)).rejects.toThrow('being restarted')
    await expect.poll(() => thread.isUp).toBe(true)
    expect(await thread.call('connections', null)).toBe(7882)
    expect(lines).toContain('media worker restarted')
  })

  test('is ended and started again when it hangs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { thread, downs, lines } = mediaThread()
    await thread.start()
    const waiting = thread.call('remove', { roomId: 'hang', identity: 'ada' })
    waiting.catch(() => undefined)
    vi.advanceTimersByTime(15_000)
    expect(lines).toEqual([])
    vi.advanceTimersByTime(5000)
    expect(lines).toEqual(['the media worker hangs'])
    await expect(waiting).rejects.toThrow('ended')
    expect(downs).toHaveLength(1)
    await expect.poll(() => thread.isUp).toBe(true)
    expect(await thread.call('connections', null)).toBe(5000)
  })

  test('is left alone while it answers, however late', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { thread, lines } = mediaThread()
    await thread.start()
    for (let round = 0; round < 3; round += 1) {
      vi.advanceTimersByTime(15_000)
      // Answered after the heartbeats, so those have been answered too.
      await thread.call('connections', null)
    }
    expect(lines).toEqual([])
    expect(thread.isUp).toBe(true)
  })

  test('keeps nobody waiting who asks it in vain', async () => {
    const { thread } = mediaThread()
    await thread.start()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const waiting = thread.call('remove', { roomId: 'silence', identity: 'ada' })
    const refused = expect(waiting).rejects.toThrow('does not answer')
    vi.advanceTimersByTime(5000)
    await refused
    expect(vi.getTimerCount()).toBe(0)
  })

  test('waits longer after every crash', async () => {
    const { thread, downs } = mediaThread()
    await thread.start()
    for (const crashes of [1, 2]) {
      await thread.call('remove', { roomId: 'exit', identity: 'ada' }).catch(() => undefined)
      await expect.poll(() => thread.isUp).toBe(true)
      expect(performance.now() - (downs.at(-1) ?? 0)).toBeGreaterThanOrEqual(crashes * 1000 - 5)
    }
  })

  test('reports a port that cannot be opened, and does not try again', async () => {
    const { thread, lines } = mediaThread(99)
    await expect(thread.start()).rejects.toThrow(MediaPortError)
    await sleep(50)
    expect(lines).toEqual([])
  })

  test('can be stopped and started, and is not restarted meanwhile', async () => {
    const { thread, lines } = mediaThread()
    await thread.start()
    await thread.stop()
    expect(thread.isUp).toBe(false)
    expect(lines).toEqual([])
    await thread.start()
    expect(thread.isUp).toBe(true)
  })
})
