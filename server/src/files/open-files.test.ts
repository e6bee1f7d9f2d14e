import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silentLog } from '../../test/silent-log.ts'
import type { FileStore } from './file-store.ts'
import { Files } from './files.ts'

/** A store that needs so many milliseconds for each request. */
function sleepyStore(milliseconds: number): FileStore {
  const contents = new Map<string, Buffer>()
  const awake = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
  return {
    kind: 'folder',
    place: 'the folder /mnt/nas',
    put: async (name, content) => {
      await awake()
      if (Buffer.isBuffer(content)) contents.set(name, content)
    },
    get: async (name) => {
      await awake()
      const content = contents.get(name)
      return content && { body: Readable.from([content]), length: content.length }
    },
    delete: awake,
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})

afterEach(() => {
  vi.useRealTimers()
})

test('a start waits for a disk that sleeps', async () => {
  const opening = Files.open(sleepyStore(12_000), silentLog)
  await vi.advanceTimersByTimeAsync(24_000)
  const files = await opening
  expect(files.isReady).toBe(true)
  files.close()
})

test('a start fails if the storage never answers', async () => {
  const opening = Files.open(sleepyStore(3_600_000), silentLog)
  const failed = expect(opening).rejects.toThrow(
    'Files can’t be stored in the folder /mnt/nas: no answer within 30000 ms.',
  )
  await vi.advanceTimersByTimeAsync(31_000)
  await failed
})
