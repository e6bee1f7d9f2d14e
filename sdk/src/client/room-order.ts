/** Runs tasks of the same room one after another, and those of different rooms at the same time. */
export class RoomOrder {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs the task after all earlier tasks of the room have ended, whether they succeeded or not. */
  run<Result>(roomId: string, task: () => Promise<Result>): Promise<Result> {
    const earlier = this.#last.get(roomId) ?? Promise.resolve()
    const result = earlier.then(task, task)
    this.#last.set(roomId, result)
    const forget = (): void => {
      if (this.#last.get(roomId) === result) this.#last.delete(roomId)
    }
    result.then(forget, forget)
    return result
  }
}
