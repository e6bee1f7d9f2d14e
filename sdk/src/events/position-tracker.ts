import type { Position, PositionStore } from './positions.ts'

/**
 * Saves up to which event everything is handled. Rooms are handled in parallel, so an event may be finished before an earlier
 * one of another room; the position doesn't pass an event that is unfinished.
 */
export class PositionTracker {
  readonly #store: PositionStore
  readonly #onError: (error: unknown) => void
  #epoch = ''
  /** Events that were received but aren't handled yet, in order of arrival. */
  readonly #unfinished = new Set<number>()
  #received = 0
  #saved = -1
  #saving: Promise<void> | undefined

  constructor(store: PositionStore, onError: (error: unknown) => void) {
    this.#store = store
    this.#onError = onError
  }

  /** Begins at a position: everything before it is handled, or can't be recovered. */
  begin({ epoch, offset }: Position): void {
    if (epoch !== this.#epoch) this.#unfinished.clear()
    this.#epoch = epoch
    this.#received = offset
    this.#saved = -1
    this.#save()
  }

  receive(offset: number): void {
    this.#unfinished.add(offset)
    this.#received = offset
  }

  finish(epoch: string, offset: number): void {
    if (epoch !== this.#epoch) return
    this.#unfinished.delete(offset)
    this.#save()
  }

  /** Resolves when the current position is saved. */
  async flush(): Promise<void> {
    while (this.#saving) await this.#saving
  }

  /** All events up to this one are handled. */
  get #handled(): number {
    const [first] = this.#unfinished
    return first === undefined ? this.#received : first - 1
  }

  /** One save at a time; the next one takes whatever is the position by then. */
  #save(): void {
    if (this.#saving || this.#handled === this.#saved) return
    const position = { epoch: this.#epoch, offset: this.#handled }
    this.#saved = position.offset
    this.#saving = this.#store
      .save(position)
      .catch(this.#onError)
      .then(() => {
        this.#saving = undefined
        this.#save()
      })
  }
}
