import { system } from '../actor.ts'
import type { Parts } from '../parts.ts'
import { run } from '../transaction.ts'
import { Absences } from './absences.ts'
import { judgeStays } from './judge-stays.ts'
import { allStays, endThisStay, type Stay } from './stay.ts'

/**
 * Where no media server is set up, being in a room is all there is, and whoever has the portal open nowhere is not there:
 * a browser that crashed, a phone that lost its network. Bots have no portal to open; they stay until they leave.
 */
export class PortalWatch {
  readonly #parts: Parts
  readonly #absences: Absences

  constructor(parts: Parts, now: () => number = () => performance.now()) {
    this.#parts = parts
    this.#absences = new Absences(now)
  }

  async look(): Promise<void> {
    const { database, presence } = this.#parts
    const stays = await allStays(database.kysely)
    const away = stays.filter(({ accountId, isBot }) => !isBot && !presence.isOnline(accountId))
    for (const stay of this.#absences.overdue(away)) await this.#takeOut(stay)
    for (const { stay, mayStay } of await judgeStays(this.#parts, stays)) if (!mayStay) await this.#takeOut(stay)
  }

  async #takeOut(stay: Stay): Promise<void> {
    await run(this.#parts, system, (tx) => endThisStay(tx, stay))
  }
}
