import { parentPort, workerData } from 'node:worker_threads'
import type { FromWorker, ToWorker, WorkerOptions } from '../src/worker/messages.ts'

/** A worker that opens no port, and does what the test asks through the names of rooms. */
const options = workerData as WorkerOptions
const post = (message: FromWorker): void => parentPort?.postMessage(message)

parentPort?.on('message', (message: ToWorker) => {
  if (message.type !== 'call') return
  const { roomId } = (message.argument ?? {}) as { roomId?: string }
  if (roomId === 'crash') throw new Error('a bug')
  if (roomId === 'exit') process.exit()
  if (roomId === 'hang') for (;;);
  if (roomId === 'log') post({ type: 'log', level: 'warn', text: 'a warning', fields: { index: 1 } })
  if (roomId !== 'silence') post({ type: 'result', id: message.id, value: options.port })
})
if (options.port === 99) {
  post({ type: 'failed', code: 'EADDRINUSE', message: 'the port is taken' })
  parentPort?.close()
} else post({ type: 'ready', port: options.port ?? 7882, announced: ['192.0.2.1'] })
