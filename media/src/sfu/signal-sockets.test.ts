import { EventEmitter } from 'node:events'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { SignalSockets } from './signal-sockets.ts'
import type { AdmittedClient } from '../signal/signal-request.ts'
import type { ToWorker } from '../worker/messages.ts'

const ADMITTED: AdmittedClient = {
  grant: { roomId: 'room', identity: 'ada', name: 'Ada', canPublish: true, canSubscribe: true },
  query: { autoSubscribe: true, resume: null, clientProtocol: 0, takesRedundancy: true },
  client: { local: null, host: 'localhost', remote: '127.0.0.1' },
}

class FakeSocket extends EventEmitter {
  readonly OPEN = WebSocket.OPEN
  readyState: number = WebSocket.OPEN
  close = vi.fn<WebSocket['close']>(() => void (this.readyState = WebSocket.CLOSING))
  terminate = vi.fn<WebSocket['terminate']>()
  ping = vi.fn<WebSocket['ping']>()
  readonly bufferedAmount = 0
  send = vi.fn<WebSocket['send']>()
}

/** A client whose frames are handed in. It ignores that its socket is being closed. */
function openSocket() {
  const posted: ToWorker[] = []
  const sockets = new SignalSockets({
    thread: { post: (message) => void posted.push(message) },
    issueToken: async () => '',
  })
  const webSocket = new FakeSocket()
  sockets.open(webSocket as unknown as WebSocket, ADMITTED)
  const receive = (bytes: Buffer) => webSocket.emit('message', bytes, true)
  const frames = () => posted.flatMap((message) => (message.type === 'frame' ? [message.bytes] : []))
  return { receive, frames, webSocket, sockets }
}

describe('a signaling socket', () => {
  test('passes on a frame, but not what else was read with it', () => {
    const { receive, frames } = openSocket()
    receive(Buffer.alloc(65_536, 7).subarray(10, 13))
    expect(frames().map((bytes) => [...bytes])).toEqual([[7, 7, 7]])
    expect(frames()[0]?.buffer.byteLength).toBe(3)
  })

  test('is closed for too many frames, and passes none on after that', () => {
    const { receive, frames, webSocket } = openSocket()
    for (let index = 0; index < 1000; index += 1) receive(Buffer.alloc(1))
    expect(webSocket.close).toHaveBeenCalledExactlyOnceWith(1008)
    expect(frames().length).toBeLessThan(350)
  })

  test('may send few of the largest frames', () => {
    const { receive, frames, webSocket } = openSocket()
    for (let index = 0; index < 100; index += 1) receive(Buffer.alloc(250_000))
    expect(webSocket.close).toHaveBeenCalledExactlyOnceWith(1008)
    expect(frames().length).toBeLessThan(25)
  })

  test.each([
    ['stays open while its client answers pings, even if it sends nothing', 'pong', undefined],
    ['is closed when its client answers no pings', 'nothing', 1001],
  ])('%s', (_name, event, code) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { sockets, webSocket } = openSocket()
    sockets.start()
    onTestFinished(() => sockets.stop())
    webSocket.ping.mockImplementation(() => void webSocket.emit(event))
    vi.advanceTimersByTime(20_000)
    expect(webSocket.close).not.toHaveBeenCalled()
    vi.advanceTimersByTime(600_000)
    expect(webSocket.close.mock.calls[0]?.[0]).toBe(code)
  })

  test.each([
    [
      'for too many frames',
      ({ receive }: ReturnType<typeof openSocket>) => void Array.from({ length: 400 }, () => receive(Buffer.alloc(1))),
    ],
    ['by the worker', ({ sockets }: ReturnType<typeof openSocket>) => sockets.close(1, 1000)],
    ['with all others', ({ sockets }: ReturnType<typeof openSocket>) => sockets.closeAll(1001)],
  ])('that is closed %s is destroyed if its client does not agree within seconds', (_name, close) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const [stubborn, polite] = [openSocket(), openSocket()]
    for (const opened of [stubborn, polite]) close(opened)
    polite.webSocket.emit('close')
    vi.advanceTimersByTime(1900)
    expect(stubborn.webSocket.terminate).not.toHaveBeenCalled()
    vi.advanceTimersByTime(200)
    expect(stubborn.webSocket.terminate).toHaveBeenCalledOnce()
    expect(polite.webSocket.terminate).not.toHaveBeenCalled()
  })
})
