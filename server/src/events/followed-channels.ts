/** In milliseconds: how long a channel is followed after its last follower has left, because many come back at once. */
const LINGER = 10_000

interface Followed {
  followers: number
  readonly begun: Promise<Begun>
  /** When it was left, in milliseconds of a monotonic clock. */
  leftAt: number
}

export interface Begun {
  /** All events of the channel after this position are delivered. */
  readonly since: number
  readonly end: () => void
}

export interface FollowedChannelsOptions {
  readonly begin: (channelIds: readonly string[]) => Promise<ReadonlyMap<string, Begun>>
  readonly onEnd: (channelId: string) => void
  readonly linger?: number
}

/** The channels whose events this process receives: those of its open sockets. */
export class FollowedChannels {
  readonly #options: FollowedChannelsOptions
  readonly #linger: number
  readonly #channels = new Map<string, Followed>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: FollowedChannelsOptions) {
    this.#options = options
    this.#linger = options.linger ?? LINGER
  }

  /** Each call is undone by one of `leave`. Returns the position after which all events of all of these are delivered. */
  async follow(channelIds: readonly string[]): Promise<number> {
    this.#begin(channelIds.filter((id) => !this.#channels.has(id)))
    const followed = channelIds.flatMap((id) => this.#channels.get(id) ?? [])
    for (const one of followed) one.followers += 1
    const begun = await Promise.all(followed.map((one) => one.begun))
    return begun.reduce((latest, { since }) => Math.max(latest, since), 0)
  }

  leave(channelIds: Iterable<string>): void {
    for (const channelId of channelIds) {
      const followed = this.#channels.get(channelId)
      if (!followed) continue
      followed.followers -= 1
      followed.leftAt = performance.now()
    }
    this.#timer ??= setTimeout(() => this.#endIdle(), this.#linger).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #begin(channelIds: readonly string[]): void {
    if (channelIds.length === 0) return
    const beginning = this.#options.begin(channelIds)
    for (const channelId of channelIds) {
      const begun = beginning.then((all) => all.get(channelId) ?? { since: 0, end: () => {} })
      const followed = { followers: 0, begun, leftAt: 0 }
      this.#channels.set(channelId, followed)
      // Those who are waiting get the error. The next follower tries again.
      begun.catch(() => {
        if (this.#channels.get(channelId) === followed) this.#channels.delete(channelId)
      })
    }
  }

  #endIdle(): void {
    this.#timer = undefined
    const now = performance.now()
    let next = Infinity
    for (const [channelId, { followers, begun, leftAt }] of this.#channels) {
      if (followers > 0) continue
      if (now < leftAt + this.#linger) {
        next = Math.min(next, leftAt + this.#linger - now)
        continue
      }
      this.#channels.delete(channelId)
      begun.then(({ end }) => end()).catch(() => {})
      this.#options.onEnd(channelId)
    }
    if (next < Infinity) this.#timer = setTimeout(() => this.#endIdle(), next).unref()
  }
}
