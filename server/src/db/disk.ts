import type { ClientBase } from 'pg'
import { isDiskFull } from './violations.ts'

/** Writes about 1.5 MB: more than the free space in files that the server has already allocated. */
const WRITE = 'CREATE TEMP TABLE space_check ON COMMIT DROP AS SELECT generate_series(1, 40000)'

/** Whether the database can store anything new. Reads work even on a full disk. */
export class Disk {
  #isFull = false

  /** To be called when a write failed for lack of space. */
  noteFull(): void {
    this.#isFull = true
  }

  /** Free of cost until a write has failed; from then on, tries to write until there is space again. */
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
