import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { WebSocket } from 'ws'

/** The memory of a process in bytes, after a garbage collection. */
export interface Held {
  /** All of its memory, as the system sees it. */
  readonly resident: number
  /** Objects and buffers in use. */
  readonly used: number
}

/** The flag that opens Node's inspector on this machine, on a port that it prints on standard error. */
export const INSPECTED = '--inspect=127.0.0.1:0'

/** Waits for that line and forwards all other output. */
export async function inspectorOf(stderr: Readable): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let said = ''
  stderr.on('data', (chunk: Buffer) => {
    said += String(chunk)
    const url = /Debugger listening on (ws:\S+)/.exec(said)?.[1]
    if (url === undefined) return
    resolve(url)
    stderr.removeAllListeners('data').on('data', passOn)
  })
  stderr.once('end', () => reject(new Error(`a program ended before it could be looked at:\n${said}`)))
  return promise
}

/** Everything but the inspector's own lines. */
function passOn(chunk: Buffer): void {
  const text = String(chunk).replaceAll(/^(Debugger |For help, see: ).*\n/gm, '')
  if (text !== '') process.stderr.write(text)
}

const READ = 'const { rss, heapUsed, external } = process.memoryUsage(); [rss, heapUsed + external]'

/** Collects the garbage of a process and reads what is left. */
export async function heldBy(inspector: string): Promise<Held> {
  const socket = new WebSocket(inspector)
  await once(socket, 'open')
  let id = 0
  const ask = async (method: string, params: object = {}): Promise<unknown> => {
    id += 1
    socket.send(JSON.stringify({ id, method, params }))
    for (;;) {
      const [data] = (await once(socket, 'message')) as [Buffer]
      const answer = JSON.parse(data.toString()) as { id?: number; result?: unknown }
      if (answer.id === id) return answer.result
    }
  }
  try {
    // What the first round frees may only be swept, and its finalizers run, in the next.
    for (let round = 0; round < 3; round += 1) await ask('HeapProfiler.collectGarbage')
    const answer = await ask('Runtime.evaluate', { expression: `{ ${READ} }`, returnByValue: true })
    const { value } = (answer as { result: { value: [number, number] } }).result
    return { resident: value[0], used: value[1] }
  } finally {
    socket.terminate()
  }
}
