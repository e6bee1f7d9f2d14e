interface Sent {
  readonly id: string
  readonly createdAt: string
}

interface Handlers {
  /** Another tab has stored, discarded or changed a message of the room. */
  changed: () => void
  /** Another tab has sent a message. */
  sent: (key: string, message: Sent) => void
}

type News = { readonly sent: string; readonly message: Sent } | { readonly sent?: undefined }

/** The tabs of this browser that show a room: they send its messages in turn, and announce to each other what they did. */
export class OutboxTabs {
  readonly #name: string
  readonly #channel: BroadcastChannel
  #isClosed = false

  constructor(roomId: string, { changed, sent }: Handlers) {
    this.#name = `portico.outbox.${roomId}`
    this.#channel = new BroadcastChannel(this.#name)
    this.#channel.addEventListener('message', ({ data }: MessageEvent<News>) => {
      if (this.#isClosed) return
      if (data.sent === undefined) changed()
      else sent(data.sent, data.message)
    })
  }

  announceChange(): void {
    this.#announce({})
  }

  announceSent(key: string, message: Sent): void {
    this.#announce({ sent: key, message })
  }

  /**
   * Runs work while no other tab runs its own. Without TLS browsers have no locks; the server then recognizes by its key
   * what two tabs have sent.
   */
  async inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const { locks } = navigator as { locks?: LockManager }
    return locks ? await locks.request(this.#name, work) : await work()
  }

  close(): void {
    this.#channel.close()
    this.#isClosed = true
  }

  #announce(news: News): void {
    // Closing doesn't end the attempt that is under way.
    if (!this.#isClosed) this.#channel.postMessage(news)
  }
}
