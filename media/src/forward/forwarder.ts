import type { Transport } from '../transport/transport.ts'
import { createCounters, type ForwardContext, type ForwardCounters, type Paced } from './forward-context.ts'
import { IncomingConnection } from './incoming-connection.ts'
import { OutgoingConnection } from './outgoing-connection.ts'
import type { Publisher, PublisherOptions } from './publisher.ts'
import type { Viewer } from './viewer.ts'

export type { ForwardCounters } from './forward-context.ts'

/** The packet plane: one timer for all publishers and viewers of a process. */
export interface Forwarder {
  readonly counters: Readonly<ForwardCounters>
  /** Takes over `onRtp` and `onRtcp` of the transport. */
  addPublisher(transport: Transport, options?: PublisherOptions): Publisher
  /** Takes over `onRtcp` of the transport. */
  addViewer(transport: Transport): Viewer
  /** What the timer does: reports, NACKs, keyframe requests, layer choices and packets that are due. */
  tick(): void
  close(): void
}

export interface ForwarderOptions {
  /** Milliseconds, monotonic. With a clock of their own, callers also call `tick` themselves. */
  readonly now?: () => number
  /** Our own code has failed in the periodic work for a connection; the others' goes on. */
  readonly onError?: (error: unknown) => void
}

const TICK = 50
/** How often packets leave that had to wait. */
const PACE = 5

export function createForwarder({ now, onError = () => {} }: ForwarderOptions = {}): Forwarder {
  const paced = new Set<Paced>()
  let pacer: NodeJS.Timeout | undefined
  const context: ForwardContext = {
    now: now ?? (() => performance.now()),
    counters: createCounters(),
    pace(each) {
      paced.add(each)
      if (!now) pacer ??= setInterval(pace, PACE).unref()
    },
  }
  function pace(): void {
    const at = context.now()
    for (const each of paced) {
      let hasMore = false
      try {
        hasMore = each.pace(at)
      } catch (error) {
        onError(error)
      }
      if (!hasMore) paced.delete(each)
    }
    if (paced.size > 0) return
    clearInterval(pacer)
    pacer = undefined
  }
  const connections = new Set<IncomingConnection | OutgoingConnection>()
  const remove = (connection: IncomingConnection | OutgoingConnection): void => void connections.delete(connection)
  const tick = (): void => {
    const at = context.now()
    for (const connection of connections) {
      try {
        connection.tick(at)
      } catch (error) {
        onError(error)
      }
    }
    pace()
  }
  const timer = now ? undefined : setInterval(tick, TICK).unref()
  return {
    counters: context.counters,
    addPublisher(transport, options = {}) {
      const connection = new IncomingConnection(context, transport, options, remove)
      connections.add(connection)
      return connection
    },
    addViewer(transport) {
      const connection = new OutgoingConnection(context, transport, remove)
      connections.add(connection)
      return connection
    },
    tick,
    close() {
      clearInterval(timer)
      clearInterval(pacer)
      for (const connection of connections) connection.close()
    },
  }
}
