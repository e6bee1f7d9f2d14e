import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import type { Fault, Occurrence } from './fault.ts'

/** In milliseconds. */
const LASTS = { from: 1_000, to: 8_000 }
const LEAVING = 5_000
const GROUP = 'other clients of the database'

/** What makes others wait, without a change. */
const LOCKS = [
  'SELECT 1 FROM channels FOR UPDATE',
  'SELECT 1 FROM accounts FOR UPDATE',
  'LOCK TABLE messages IN SHARE ROW EXCLUSIVE MODE',
  'LOCK TABLE messages IN ACCESS EXCLUSIVE MODE',
  'LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE',
  'LOCK TABLE events IN ACCESS EXCLUSIVE MODE',
  'LOCK TABLE members IN ACCESS EXCLUSIVE MODE',
  'LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE',
  'LOCK TABLE deliveries IN ACCESS EXCLUSIVE MODE',
  'LOCK TABLE quota_windows IN ACCESS EXCLUSIVE MODE',
  'SELECT 1 FROM channel_positions FOR UPDATE',
]
const HEAVY = 'SELECT count(md5(n::text)) FROM generate_series(1, 1000000000) AS n'
const HEAVY_CLIENTS = 2

/** An operator or another program works in the database, too. */
export function statementFaults(database: () => Promise<ClientConfig>): Fault[] {
  return [
    {
      name: 'lock-rows',
      group: GROUP,
      plan: (random) => {
        const lock = random.pick(LOCKS) ?? ''
        return occurrence(lock, random.between(LASTS.from, LASTS.to), 1, async (client) => {
          await client.query('BEGIN')
          await client.query(lock)
        })
      },
    },
    {
      name: 'heavy-statements',
      group: GROUP,
      plan: (random) => {
        const count = 1 + random.integer(HEAVY_CLIENTS)
        const lasts = random.between(LASTS.from, LASTS.to)
        return occurrence(`${count} × ${HEAVY}`, lasts, count, async (client) => void (await client.query(HEAVY)))
      },
    },
  ]

  function occurrence(hit: string, lasts: number, count: number, work: (client: Client) => Promise<void>): Occurrence {
    const clients: Client[] = []
    return {
      hit,
      lasts,
      begin: async () => {
        // Another fault may have ended it.
        const config = await database().catch(() => undefined)
        if (!config) return
        const most = Math.ceil(lasts)
        while (clients.length < count) {
          // The server ends it even if nobody can reach the server anymore.
          const limits = `-c statement_timeout=${most} -c idle_in_transaction_session_timeout=${most}`
          const client = new Client({ ...config, options: limits })
          client.on('error', () => undefined)
          clients.push(client)
          void client
            .connect()
            .then(() => work(client))
            .catch(() => undefined)
        }
      },
      // A server that hangs gets to know later.
      end: async () => {
        await Promise.race([Promise.all(clients.map(leave)), sleep(LEAVING, undefined, { ref: false })])
      },
    }
  }
}

async function leave(client: Client): Promise<void> {
  await client.query('ROLLBACK').catch(() => undefined)
  await client.end().catch(() => undefined)
}
