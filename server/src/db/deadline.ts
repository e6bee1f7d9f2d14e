import { AsyncLocalStorage } from 'node:async_hooks'
import { LIMITS } from '@portico/contract'

const REQUEST = LIMITS.requestDeadline * 1000

/** The time by which something must be done, by a monotonic clock. */
export class Deadline {
  #at: number
  /** In milliseconds: the time that was left when it was paused. */
  #paused: number | undefined

  constructor(milliseconds: number = REQUEST) {
    this.#at = performance.now() + milliseconds
  }

  /** Milliseconds until the deadline; never negative. */
  get left(): number {
    return this.#paused ?? Math.max(0, this.#at - performance.now())
  }

  get isOver(): boolean {
    return this.left === 0
  }

  /** Whether it passed at least this many milliseconds ago. */
  isOverBy(milliseconds: number): boolean {
    return this.#paused === undefined && performance.now() >= this.#at + milliseconds
  }

  /** Excludes time that the server does not control, such as a client that sends its request slowly. */
  pause(): void {
    this.#paused ??= this.left
  }

  resume(): void {
    if (this.#paused === undefined) return
    this.#at = performance.now() + this.#paused
    this.#paused = undefined
  }
}

/** Thrown when the deadline passes while waiting for the database. */
export class DeadlinePassed extends Error {
  constructor() {
    super('the database did not answer before the deadline')
    this.name = 'DeadlinePassed'
  }
}

const current = new AsyncLocalStorage<Deadline>()

/** Sets the deadline for the work and everything that it calls, including asynchronous calls. */
export function withDeadline<T>(deadline: Deadline, work: () => T): T {
  return current.run(deadline, work)
}

/** The deadline of the current request. Outside of a request, as much time as a request has. */
export function currentDeadline(): Deadline {
  return current.getStore() ?? new Deadline()
}

/** Whether this is the work of a request, or was started by it. */
export function isInRequest(): boolean {
  return current.getStore() !== undefined
}
