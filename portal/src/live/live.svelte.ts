import type { LogPosition } from '@portico/contract'
import type { EventName, PortalEvent } from './portal-event.ts'

type Handler<Name extends EventName> = (event: PortalEvent<Name>) => void

const CHANNEL = 'portal'
const PATH = '/connection/websocket'
/** A short break is nobody's business: only a longer one is spoken of. */
const PATIENCE_MS = 2500
const RETRY_MS = 3000

let connected = $state(false)
let overdue = $state(false)
let waiting: ReturnType<typeof setTimeout> | undefined
let since: LogPosition | undefined
const handlersOf = new Map<string, Set<(event: never) => void>>()
const catchingUp = new Set<() => void>()
const standing = new Set<() => void>()
const resuming = new Set<() => void>()

/** The socket of this page: what happens on the person's channels, in order, without holes. */
export const live = {
  get connected(): boolean {
    return connected
  },
  /** The connection has been away long enough to say so. */
  get offline(): boolean {
    return overdue && !connected
  },
}

/** Calls back for each event of a kind. Gives the way to stop. */
export function subscribe<Name extends EventName>(event: Name, handler: Handler<Name>): () => void {
  const handlers = handlersOf.get(event) ?? new Set()
  handlersOf.set(event, handlers)
  handlers.add(handler)
  return () => handlers.delete(handler)
}

/**
 * Calls back when events may have been missed for good: the first connection, after which what was read earlier may be
 * old, and a break that lasted too long to be filled from the log. Whoever shows live things reads them anew.
 */
export function onEventsMissed(handler: () => void): () => void {
  catchingUp.add(handler)
  return () => catchingUp.delete(handler)
}

/**
 * Calls back whenever the connection stands, after the shortest break too: what is event once and never kept may have been
 * missed then.
 */
export function onConnected(handler: () => void): () => void {
  standing.add(handler)
  return () => standing.delete(handler)
}

/**
 * Calls back when the log filled what was missed. Who is online and what was read on other devices is in no log: whoever
 * shows that reads it anew.
 */
export function onEventsRecovered(handler: () => void): () => void {
  resuming.add(handler)
  return () => resuming.delete(handler)
}

/** All that the page has is at least as new as this: from there on the socket tells of everything. */
export function resumeFrom(position: LogPosition): void {
  since = position
}

/** Opens the socket and keeps it open. `ended` is called when the session is over. Gives the way to close it. */
export function connectLive(ended: () => void): () => void {
  let close = (): void => undefined
  let left = false
  lose()
  void begin()

  async function begin(): Promise<void> {
    try {
      const { Centrifuge } = await import('centrifuge')
      if (!left) close = open(Centrifuge, ended)
    } catch {
      // Loaded while the server was away: the page works from what it has, and tries again.
      if (!left) setTimeout(() => void begin(), RETRY_MS)
    }
  }

  return () => {
    left = true
    close()
    clearTimeout(waiting)
    connected = false
    overdue = false
  }
}

function open(Centrifuge: typeof import('centrifuge').Centrifuge, ended: () => void): () => void {
  const socket = new Centrifuge(`${location.origin.replace(/^http/, 'ws')}${PATH}`, {
    minReconnectDelay: 300,
    maxReconnectDelay: 5000,
  })
  const subscription = socket.newSubscription(CHANNEL, since ? { since } : {})
  // Whoever signs in later on the same page has read other things.
  since = undefined
  subscription.on('subscribed', ({ recovered }) => {
    clearTimeout(waiting)
    connected = true
    overdue = false
    for (const handler of recovered ? resuming : catchingUp) guarded(handler)
    for (const handler of standing) guarded(handler)
  })
  subscription.on('publication', ({ data }: { data: PortalEvent }) => {
    for (const handler of handlersOf.get(data.event) ?? []) guarded(() => handler(data as never))
  })
  let closed = false
  socket.on('connecting', lose)
  // The server refused, mostly because the session is over. Whoever is signed in all the same tries on.
  socket.on('disconnected', () => {
    if (closed) return
    lose()
    ended()
    setTimeout(() => !closed && socket.connect(), RETRY_MS)
  })
  subscription.subscribe()
  socket.connect()
  return () => {
    closed = true
    socket.disconnect()
  }
}

function lose(): void {
  connected = false
  clearTimeout(waiting)
  waiting = setTimeout(() => (overdue = true), PATIENCE_MS)
}

/** A fault in one listener must not reach the socket, which would hand nothing on any more. */
function guarded(handler: () => void): void {
  try {
    handler()
  } catch (error) {
    reportError(error)
  }
}
