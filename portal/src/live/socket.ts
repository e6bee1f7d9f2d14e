import type { LogPosition } from '@portico/contract'
import { Centrifuge } from 'centrifuge'
import type { PageEvents, PortalEvent } from './portal-event.ts'

const CHANNEL = 'portal'
const PATH = '/connection/websocket'
/** After a refusal. */
const RETRY_MS = 3000
const MIN_RECONNECT_MS = 300
const MAX_RECONNECT_MS = 5000

export interface SocketHandlers {
  /** `recovered`: everything since the last connection was delivered, too. */
  readonly subscribed: (recovered: boolean) => void
  readonly received: (event: PageEvents[keyof PageEvents]) => void
  readonly lost: () => void
  /** The server refused, usually because the session is over. */
  readonly ended: () => void
}

export interface Socket {
  showRoom(roomId: string): void
  hideRoom(roomId: string): void
  close(): void
}

/** Opens a WebSocket, and reopens it until it is closed. */
export function openSocket(
  since: LogPosition | undefined,
  { subscribed, received, lost, ended }: SocketHandlers,
): Socket {
  const centrifuge = new Centrifuge(`${location.origin.replace(/^http/, 'ws')}${PATH}`, {
    minReconnectDelay: MIN_RECONNECT_MS,
    maxReconnectDelay: MAX_RECONNECT_MS,
  })
  const events = centrifuge.newSubscription(CHANNEL, since ? { since } : {})
  events.on('subscribed', ({ recovered }) => subscribed(recovered))
  events.on('publication', ({ data }: { data: PortalEvent }) => received(data))
  let closed = false
  centrifuge.on('connecting', lost)
  // If the session isn't over, keep trying.
  centrifuge.on('disconnected', () => {
    if (closed) return
    lost()
    ended()
    setTimeout(() => !closed && centrifuge.connect(), RETRY_MS)
  })
  events.subscribe()
  centrifuge.connect()

  return {
    showRoom: (roomId) => {
      const room = centrifuge.newSubscription(`room:${roomId}`)
      room.on('subscribed', () => received({ event: 'room.subscribed', data: { roomId } }))
      room.on('publication', ({ data }: { data: PortalEvent }) => received(data))
      room.subscribe()
    },
    hideRoom: (roomId) => centrifuge.removeSubscription(centrifuge.getSubscription(`room:${roomId}`)),
    close: () => {
      closed = true
      centrifuge.disconnect()
    },
  }
}
