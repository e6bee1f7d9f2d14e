import type { LogPosition } from '@portico/contract'
import type { PageEvents } from './portal-event.ts'
import type { Socket } from './socket.ts'
import { startWhenLoaded } from './start-when-loaded.ts'

type Handler<Name extends keyof PageEvents> = (event: PageEvents[Name]) => void

/** Shorter interruptions aren't shown. */
const OFFLINE_AFTER_MS = 2500

let connected = $state(false)
let overdue = $state(false)
let waiting: ReturnType<typeof setTimeout> | undefined
let since: LogPosition | undefined
const handlersOf = new Map<string, Set<(event: never) => void>>()
const catchingUp = new Set<() => void>()
const connecting = new Set<() => void>()
const recovering = new Set<() => void>()
/** How many times each room is on the screen. */
const openRooms = new Map<string, number>()
let socket: Socket | undefined

/** The page's WebSocket: everything that happens in the account's channels, in order and without gaps. */
export const live = {
  get connected(): boolean {
    return connected
  },
  /** The connection has been down long enough to say so. */
  get offline(): boolean {
    return overdue && !connected
  },
}

/** Calls the handler for each event of this name. Returns a function that unsubscribes. */
export function subscribe<Name extends keyof PageEvents>(event: Name, handler: Handler<Name>): () => void {
  const handlers = handlersOf.get(event) ?? new Set()
  handlersOf.set(event, handlers)
  handlers.add(handler)
  return () => handlers.delete(handler)
}

/**
 * Called when events may be lost for good: on the first connection, when data fetched earlier may be stale, and after
 * an interruption too long to recover from the log. Handlers refetch what they show.
 */
export function onEventsMissed(handler: () => void): () => void {
  catchingUp.add(handler)
  return () => catchingUp.delete(handler)
}

/** Called on every connection, even after the shortest interruption: ephemeral events may have been lost. */
export function onConnected(handler: () => void): () => void {
  connecting.add(handler)
  return () => connecting.delete(handler)
}

/** Called when the log has filled the gap. Presence and read states aren't in the log, so handlers refetch those. */
export function onEventsRecovered(handler: () => void): () => void {
  recovering.add(handler)
  return () => recovering.delete(handler)
}

/** Everything on the page is at least as new as this position: the socket delivers what follows it. */
export function resumeFrom(position: LogPosition): void {
  since = position
}

/** A room is on the screen: only then the server says who is typing there. Returns a function for when it's gone. */
export function showRoom(roomId: string): () => void {
  const times = openRooms.get(roomId) ?? 0
  openRooms.set(roomId, times + 1)
  if (times === 0) socket?.showRoom(roomId)
  return () => {
    const left = (openRooms.get(roomId) ?? 0) - 1
    if (left > 0) openRooms.set(roomId, left)
    else {
      openRooms.delete(roomId)
      socket?.hideRoom(roomId)
    }
  }
}

/**
 * Opens the socket and keeps it open. `ended` is called when the session is over. Returns a function that closes it.
 */
export function connectLive(ended: () => void): () => void {
  lose()
  const close = startWhenLoaded(async () => {
    const { openSocket } = await import('./socket.ts')
    return () => {
      const opened = openSocket(since, { subscribed, received, lost: lose, ended })
      // An account that signs in later on this page starts from other data.
      since = undefined
      socket = opened
      for (const roomId of openRooms.keys()) opened.showRoom(roomId)
      return () => {
        socket = undefined
        opened.close()
      }
    }
  })

  return () => {
    close()
    clearTimeout(waiting)
    connected = false
    overdue = false
  }
}

function subscribed(recovered: boolean): void {
  clearTimeout(waiting)
  connected = true
  overdue = false
  for (const handler of recovered ? recovering : catchingUp) guarded(handler)
  for (const handler of connecting) guarded(handler)
}

function received(event: PageEvents[keyof PageEvents]): void {
  for (const handler of handlersOf.get(event.event) ?? []) guarded(() => handler(event as never))
}

function lose(): void {
  connected = false
  clearTimeout(waiting)
  waiting = setTimeout(() => (overdue = true), OFFLINE_AFTER_MS)
}

/** An error in one handler must not stop the socket from delivering to the others. */
function guarded(handler: () => void): void {
  try {
    handler()
  } catch (error) {
    reportError(error)
  }
}
