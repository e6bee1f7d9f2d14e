import type { ClientBase } from 'pg'
import { isDiskFull } from './violations.ts'

/** Some 1.5 MB: more than a server may still have room for in files that it has begun. */
const WRITE = 'CREATE TEMP TABLE space_check ON COMMIT DROP AS SELECT generate_series(1, 40000)'

/** Whether the database has room for anything new. Reading goes on where it has not. */
export class Disk {
  #isFull = false

  /** Called when something could not be stored for lack of space. */
  noteFull(): void {
    this.#isFull = true
  }

  /** Costs nothing until something could not be stored; from then on it is tried, until there is room again. */
  async hasSpace(client: ClientBase): Promise<boolean> {
    if (!this.#isFull) return true
    try {
      const sent = [client.query('BEGIN'), client.query(WRITE), client.query('ROLLBACK')]
      await Promise.all(sent)
      this.#isFull = false
    } catch (error) {
      if (!isDiskFull(error)) throw error
    }
    return !this.#isFull
  }
}
