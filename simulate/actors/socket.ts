import { Centrifuge } from 'centrifuge'
import { WebSocket } from 'ws'
import { nameOfCredential } from '../history/credential-name.ts'
import { WITH_PRESSES } from '../history/event-kinds.ts'
import type { Actor, Envelope, History } from '../history/history.ts'
import type { Place } from './unreliable-sender.ts'

interface SocketOptions {
  readonly history: History
  readonly url: string
  readonly actor: Actor
  /** The name of the receiver in the history: one actor may have several. */
  readonly receiver: string
  /** A person is known by the session cookie, a bot by a token. */
  readonly as: { readonly cookie: () => string } | { readonly token: () => Promise<string> }
  readonly onEvent?: (envelope: Envelope) => void
}

/** A connection to the event stream with the official client. Everything that arrives is recorded. */
export class EventSocket {
  readonly #client: Centrifuge
  readonly actor: Actor
  readonly #options: SocketOptions
  #hasSubscribed = false
  #hide: (() => void) | undefined

  constructor(options: SocketOptions) {
    const { history, url, actor, receiver, as, onEvent } = options
    this.#options = options
    this.actor = actor
    const isPerson = 'cookie' in as
    const transport = isPerson ? 'portal' : 'stream'
    const more = isPerson ? { credential: nameOfCredential(as.cookie()) } : { kinds: WITH_PRESSES }
    history.add({ kind: 'receiver', receiver, actor, transport, ...more })
    const origin = url
    class CookieSocket extends WebSocket {
      constructor(address: string, protocols?: string | string[]) {
        super(address, protocols, isPerson ? { headers: { cookie: as.cookie(), origin } } : {})
        // The client library listens only later.
        this.on('error', () => undefined)
      }
    }
    this.#client = new Centrifuge(`${url.replace(/^http/, 'ws')}/connection/websocket`, {
      websocket: CookieSocket,
      minReconnectDelay: 200,
      maxReconnectDelay: 3000,
      ...(isPerson ? {} : { getToken: as.token }),
    })
    this.#client.on('error', () => undefined)
    this.#client.on('disconnected', ({ code }) => history.add({ kind: 'closed', receiver, code }))
    const subscription = this.#client.newSubscription(isPerson ? 'portal' : 'events')
    subscription.on('error', () => undefined)
    subscription.on('subscribed', ({ wasRecovering, recovered }) => {
      history.add({ kind: 'subscribed', receiver, ...((wasRecovering || this.#hasSubscribed) && { recovered }) })
      this.#hasSubscribed = true
    })
    subscription.on('publication', ({ data, offset }) => {
      const envelope = data as Envelope
      history.add({ kind: 'event', receiver, offset: offset ?? 0, envelope })
      onEvent?.(envelope)
    })
    subscription.subscribe()
    this.#client.connect()
  }

  /** Shows a room instead of the one before. */
  show({ channelId, roomId }: Place): void {
    this.#hide?.()
    const { history, receiver } = this.#options
    const shown = { kind: 'shown room', receiver, channelId, roomId } as const
    const room = this.#client.newSubscription(`room:${roomId}`)
    room.on('error', () => undefined)
    room.on('subscribed', () => history.add({ ...shown, what: 'shown' }))
    room.on('publication', ({ data }) =>
      history.add({ kind: 'event', receiver, offset: 0, envelope: data as Envelope }),
    )
    room.subscribe()
    this.#hide = () => {
      history.add({ ...shown, what: 'hidden' })
      room.unsubscribe()
      this.#client.removeSubscription(room)
    }
  }

  close(): void {
    this.#client.disconnect()
  }
}
