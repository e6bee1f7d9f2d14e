import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Client } from './client.ts'
import type { OperationArgs, OperationName } from '../history/operations.ts'

/** In milliseconds, before a change is repeated whose fate is unknown. */
const PAUSE = 500

/**
 * Changes of what members may, one after the other in each channel, so that the model knows their order. All other requests go
 * on meanwhile. A change whose answer was lost is repeated until there is one.
 */
export class ChannelLocks {
  readonly #last = new Map<string, Promise<unknown>>()
  #isOver = false

  /** Changes whose answer is missing are no longer repeated. */
  end(): void {
    this.#isOver = true
  }

  change<Name extends OperationName>(
    channelId: string,
    client: Client,
    name: Name,
    args: OperationArgs<Name>,
  ): Promise<Answer | undefined> {
    return this.exclusive(channelId, async () => {
      for (;;) {
        const answer = await client.call(name, args)
        if (answer || this.#isOver) return answer
        await sleep(PAUSE)
      }
    })
  }

  async exclusive<T>(channelId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(channelId) ?? Promise.resolve()
    const done = before.then(work, work)
    this.#last.set(
      channelId,
      done.catch(() => undefined),
    )
    return done
  }
}
