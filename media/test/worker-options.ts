import type { MediaLog } from '../src/sfu/media-thread.ts'
import type { WorkerOptions } from '../src/worker/messages.ts'

/** A media server for tests, with the limits of a small portal. */
export function workerOptions(options: Pick<WorkerOptions, 'port' | 'addresses'>): WorkerOptions {
  return { publicHost: 'localhost', broadcastLimits: { ofPerson: 4, ofChannel: 20 }, version: '1', ...options }
}

/** Discards all log lines. */
export const silentLog: MediaLog = { info() {}, warn() {}, error() {} }
