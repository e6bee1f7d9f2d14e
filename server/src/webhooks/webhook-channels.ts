import type { Pool } from 'pg'

const HOOKED = {
  name: 'webhook_channels',
  text: `SELECT id FROM unnest($1::uuid[]) AS channels (id)
    WHERE EXISTS (SELECT FROM installations i
      JOIN applications p ON p.bot_id = i.bot_id
      JOIN webhooks w ON w.application_id = p.id
      WHERE i.channel_id = channels.id AND i.to_seq IS NULL AND w.active)`,
}

/**
 * Caches which channels have an application with a webhook: in other channels a message needs no query for receivers.
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
    // Written into the map from before the query: after a change, that map has been dropped.
    const known = this.#known
    const unknown = channelIds.filter((id) => !known.has(id))
    if (unknown.length === 0) return
    const { rows } = await this.#pool.query<{ id: string }>({ ...HOOKED, values: [unknown] })
    const withWebhook = new Set(rows.map(({ id }) => id))
    for (const id of unknown) known.set(id, withWebhook.has(id))
  }

  /** A webhook was turned on, or an application installed. */
  forget(): void {
    this.#known = new Map()
  }
}
