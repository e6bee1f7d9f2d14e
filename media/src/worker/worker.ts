import { parentPort, workerData } from 'node:worker_threads'
import { ICEServer } from '@livekit/protocol'
import { iceServers } from '../ice/ice-servers.ts'
import { watchLoad } from './load-watch.ts'
import { MediaServer } from './media-server.ts'
import { openPlane } from './open-plane.ts'
import type { FromWorker, ToWorker, WorkerOptions } from './messages.ts'

const options = workerData as WorkerOptions
const port = parentPort
if (!port) throw new Error('this is the program of a worker thread')
const servers = (): ICEServer[] => (options.turn ? iceServers(options.turn).map((server) => new ICEServer(server)) : [])
const post = (message: FromWorker): void => port.postMessage(message)

/** A packet that trips over a bug is dropped; the log shows the first of them. */
let failures = 0
const onPacketError = (error: unknown): void => {
  failures += 1
  if (failures > 10) return
  const fields = { message: String(error), stack: error instanceof Error ? error.stack : undefined }
  post({ type: 'log', level: 'error', text: 'a media packet failed', fields })
}

try {
  const plane = await openPlane(options, {
    onError: onPacketError,
    onAnnounced: (announced) => post({ type: 'announced', announced }),
  })
  const server = new MediaServer({
    plane,
    broadcastLimits: options.broadcastLimits,
    post,
    server: { version: options.version, iceServers: servers },
  })
  watchLoad((text, fields) => post({ type: 'log', level: 'warn', text, fields }))
  port.on('message', (message: ToWorker) => server.handle(message))
  post({ type: 'ready', port: plane.port, announced: plane.announced })
} catch (error) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  post({ type: 'failed', code, message: error instanceof Error ? error.message : String(error) })
  port.close()
}
