import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silentLog, workerOptions } from '../../test/worker-options.ts'
import { MediaThread } from '../sfu/media-thread.ts'

const USUAL_PORT = 7882

async function startThread(port: number | null): Promise<number> {
  const thread = new MediaThread({
    worker: workerOptions({ port, addresses: ['127.0.0.1'] }),
    log: silentLog,
    onMessage: () => undefined,
    onDown: () => undefined,
  })
  onTestFinished(() => thread.stop())
  await thread.start()
  return thread.place.port
}

/** Takes the usual port, unless another program has it anyway. */
async function takeUsualPort(): Promise<void> {
  const socket = createSocket('udp4')
  socket.bind(USUAL_PORT, '127.0.0.1')
  await once(socket, 'listening').catch(() => undefined)
  onTestFinished(() => void socket.close())
}

describe('the media port', () => {
  test('is any free one if the usual one is taken', async () => {
    await takeUsualPort()
    const port = await startThread(null)
    expect(port).toBeGreaterThan(0)
    expect(port).not.toBe(USUAL_PORT)
  })

  test('is no other than the one that was set', async () => {
    await takeUsualPort()
    await expect(startThread(USUAL_PORT)).rejects.toMatchObject({ name: 'MediaPortError', code: 'EADDRINUSE' })
  })
})
