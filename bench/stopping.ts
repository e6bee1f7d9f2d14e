/** Stops everything that was started, in reverse order, so that an interrupted run leaves no database and no data folder. */
export class Stopping {
  readonly #stops: (() => Promise<void>)[] = []
  #stopped: Promise<void> | undefined

  constructor() {
    process.once('SIGINT', () => void this.all())
    process.once('SIGTERM', () => void this.all())
  }

  add(stop: () => Promise<void>): void {
    this.#stops.unshift(stop)
  }

  all(): Promise<void> {
    return (this.#stopped ??= this.#each())
  }

  async #each(): Promise<void> {
    for (let stop = this.#stops.shift(); stop; stop = this.#stops.shift()) await stop()
  }
}
