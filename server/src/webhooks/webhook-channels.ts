import type { Pool } from 'pg'

const HOOKED = {
  name: 'hooked_channels',
  text: `SELECT id FROM unnest($1::uuid[]) AS channels (id)
    WHERE EXISTS (SELECT FROM installations i
      JOIN applications p ON p.bot_id = i.bot_id
      JOIN webhooks w ON w.application_id = p.id
      WHERE i.channel_id = channels.id AND i.to_seq IS NULL AND w.active)`,
}

/**
 * On which channels an application with a webhook stands, as it was when it was last asked: elsewhere, a message needs
 * no look for who waits for it.
 */
export class WebhookChannels {
  readonly #pool: Pool
  #known = new Map<string, boolean>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  isKnownWithout(channelId: string): boolean {
    return this.#known.get(channelId) === false
  }

  async learn(channelIds: readonly string[]): Promise<void> {
    // Into the map of before: when something was changed meanwhile, nobody finds it any more.
    const known = this.#known
    const unknown = channelIds.filter((id) => !known.has(id))
    if (unknown.length === 0) return
    const { rows } = await this.#pool.query<{ id: string }>({ ...HOOKED, values: [unknown] })
    const hooked = new Set(rows.map(({ id }) => id))
    for (const id of unknown) known.set(id, hooked.has(id))
  }

  /** A webhook was turned on, or an application installed. */
  forget(): void {
    this.#known = new Map()
  }
}
