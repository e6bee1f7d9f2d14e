import type { QueryClient } from '@tanstack/svelte-query'
import { rememberAccount, storedAccountId } from '#storage/stored-account.ts'
import { Refused } from '#api/api.ts'
import { channelsQuery } from '#channels/channel-queries.ts'
import { live, onConnected, onEventsMissed, subscribe } from '#live/live.svelte.ts'
import type { PortalEvent } from '#live/portal-event.ts'
import { conversations } from '#messages/conversations.svelte.ts'
import { MESSAGE_EVENTS } from '#messages/follow-messages.ts'
import type { History } from '#messages/history.svelte.ts'
import { fetchNewestPage } from '#messages/message-page.ts'
import type { MessageEvent } from '#messages/message-window.svelte.ts'
import { loadWhenIdle } from '#ui/first-render.ts'
import { readStatesQuery } from '#unread/read-states.ts'
import { copyChanges, withoutHidden, type Known } from './copy-changes.ts'
import { changeCopy, noteCurrent, readCopy, type StoredQuery } from './copy-store.ts'
import { forgetCopy } from './forget-copy.ts'
import { isKept } from './kept-queries.ts'
import { storeShell } from './store-shell.ts'

/** Changes are collected for this long. */
const PAUSE_MS = 2000

/**
 * Keeps a copy of the last rooms read in this browser, which a page without a connection shows. Starts with the first
 * connection: until then there is more important work. Returns a function that stops.
 */
export function keepCopy(client: QueryClient, myId: string): () => void {
  let stop: (() => void) | undefined
  let stopped = false
  const begin = async (): Promise<void> => {
    wait()
    rememberAccount(myId)
    try {
      await loadWhenIdle(storeShell)
      if (!stopped) stop = new CopyKeeper(client, myId).follow()
    } catch {
      // Without a service worker no page opens without a connection.
    }
  }
  const wait = onConnected(() => void begin())
  return () => {
    stopped = true
    wait()
    stop?.()
  }
}

class CopyKeeper {
  readonly #client: QueryClient
  readonly #myId: string
  /** Increases when a room may have been opened. */
  #opened = $state(0)
  #timer: ReturnType<typeof setTimeout> | undefined
  #stopped = false
  /** One at a time, so that nothing older is written over something newer. */
  #work = Promise.resolve()
  readonly #writtenQueries = new Map<string, unknown>()
  readonly #writtenRooms = new Map<string, unknown>()
  #events = new Map<string, PortalEvent<MessageEvent>[]>()

  constructor(client: QueryClient, myId: string) {
    this.#client = client
    this.#myId = myId
  }

  follow(): () => void {
    const hide = (): void => {
      if (document.visibilityState === 'hidden') this.#writeNow()
    }
    document.addEventListener('visibilitychange', hide)
    const stops = [
      $effect.root(() => {
        $effect(() => {
          void this.#opened
          // Read to be notified of changes.
          for (const { history } of conversations.values()) void [isCurrent(history), history.messages]
          this.#writeSoon()
        })
      }),
      this.#client.getQueryCache().subscribe(({ type, query }) => {
        if ((type === 'updated' || type === 'observerAdded') && isKept(query.queryKey)) this.#opened += 1
      }),
      ...MESSAGE_EVENTS.map((name) => subscribe(name, (event) => this.#note(event))),
      onEventsMissed(() => void this.#refresh()),
      () => document.removeEventListener('visibilitychange', hide),
      () => clearTimeout(this.#timer),
    ]
    void this.#refresh()
    return () => {
      this.#stopped = true
      for (const stop of stops) stop()
    }
  }

  #note(event: PortalEvent<MessageEvent>): void {
    const { roomId } = event.data
    this.#events.set(roomId, [...(this.#events.get(roomId) ?? []), event])
    this.#writeSoon()
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void loadWhenIdle(async () => this.#writeNow()), PAUSE_MS)
  }

  #writeNow(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    void this.#inTurn(() => this.#write())
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(async () => {
      // What fails, for example because the connection is lost, is repeated with the next connection.
      if (!this.#stopped) await work().catch(() => undefined)
    })
    return this.#work
  }

  async #write(): Promise<void> {
    // What is shown without a connection came from the copy.
    if (!live.connected) return
    const events = this.#events
    this.#events = new Map()
    const known: Known = {
      myId: this.#myId,
      now: Date.now(),
      queries: this.#changedQueries(),
      rooms: this.#changedRooms(),
      events,
      readable: this.#readable(),
    }
    try {
      await changeCopy((stored) => (this.#isMine() ? copyChanges(stored, known) : undefined))
      if (this.#isMine()) noteCurrent()
      for (const [hash, query] of known.queries) {
        // Otherwise a room of the list may be too new to be known as readable.
        if (withoutHidden(query, known) === query) this.#writtenQueries.set(hash, query.data)
      }
      for (const { roomId, messages } of known.rooms) this.#writtenRooms.set(roomId, messages)
    } catch {
      // A copy that can't be changed might show what was deleted.
      await forgetCopy()
    }
  }

  /** Another tab may have signed out: nothing may be stored after that. */
  #isMine(): boolean {
    return !this.#stopped && storedAccountId() === this.#myId
  }

  #changedQueries(): Map<string, StoredQuery> {
    const changed = this.#client
      .getQueryCache()
      .getAll()
      .filter(({ queryKey, queryHash, state: { status, data } }) => {
        return isKept(queryKey) && status === 'success' && this.#writtenQueries.get(queryHash) !== data
      })
    return new Map(
      changed.map(({ queryHash, queryKey, state: { data, dataUpdatedAt: updatedAt } }) => {
        return [queryHash, { queryKey, data, updatedAt }]
      }),
    )
  }

  #changedRooms(): Known['rooms'] {
    const current = [...conversations.values()].map(({ history }) => history).filter(isCurrent)
    return current
      .filter(({ roomId, messages }, index) => {
        return index === current.length - 1 || this.#writtenRooms.get(roomId) !== messages
      })
      .map(({ channelId, roomId, messages, hasOlder }) => ({ channelId, roomId, messages, hasOlder }))
  }

  #readable(): Known['readable'] {
    const [channels, readStates] = [channelsQuery, readStatesQuery].map(({ queryKey }) => {
      const state = this.#client.getQueryState(queryKey)
      // Until then there is only the first page of a long list, or an old one.
      return state?.status === 'success' && !state.isInvalidated && state.fetchStatus === 'idle'
    })
    if (!channels || !readStates) return undefined
    return {
      channelIds: new Set(this.#client.getQueryData(channelsQuery.queryKey)?.map(({ id }) => id)),
      roomIds: new Set(this.#client.getQueryData(readStatesQuery.queryKey)?.keys()),
    }
  }

  /** Rooms that aren't in memory may have changed while no page received events. */
  async #refresh(): Promise<void> {
    const stored = await readCopy().catch(() => undefined)
    for (const roomId of stored?.rooms.keys() ?? [])
      await this.#inTurn(() => loadWhenIdle(() => this.#refreshRoom(roomId)))
  }

  async #refreshRoom(roomId: string): Promise<void> {
    const inMemory = conversations.get(roomId)
    if (!live.connected || (inMemory && isCurrent(inMemory.history))) return
    const page = await fetchNewestPage(roomId).catch(undefinedIfHidden)
    await changeCopy(({ rooms }) => {
      const room = rooms.get(roomId)
      if (!room || !this.#isMine()) return undefined
      const renewed = page && { ...room, messages: page.messages, hasOlder: page.hasOlder }
      return { queries: new Map(), rooms: new Map([[roomId, renewed]]) }
    })
  }
}

/** The room was deleted, or the account can't read it anymore. */
function undefinedIfHidden(error: unknown): undefined {
  if (!(error instanceof Refused) || error.httpStatus >= 500 || [401, 429].includes(error.httpStatus)) throw error
}

/** Whether the newest messages are in memory, and come from the server. */
function isCurrent({ state, hasNewer, isCopy }: History): boolean {
  return state === 'ready' && !hasNewer && !isCopy
}
